// Opens a page of `firn report`, `firn watch` or `firn play` in headless Chromium and prints, as JSON, what is on it, or takes its picture.
// usage: node browser.cjs look ADDRESS WIDTH light|dark      every figure, its files, errors and requests
//        node browser.cjs watch ADDRESS                      the status and the curve, then again after both changed
//        node browser.cjs tiles ADDRESS                      the tiles of a sweep, then again after one changed, and its workers
//        node browser.cjs film ADDRESS                       what the film of freezing says at its start, its end and a dot
//        node browser.cjs play ADDRESS WIDTH light|dark [PICTURE]      every example, a drawing, a file, some neurons
//        node browser.cjs shoot ADDRESS WIDTH HEIGHT light|dark SELECTOR FILE      from where SELECTOR begins
const { readFileSync } = require("node:fs");
const { chromium } = require("playwright-core");

const kArguments = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

async function withPage(address, width, colorScheme, body) {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", headless: true, args: kArguments });
  try {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const seen = { errors: [], requests: [] };
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) seen.errors.push(message.text());
    });
    page.on("pageerror", (error) => seen.errors.push(String(error.stack)));
    page.on("dialog", (dialog) => {
      seen.errors.push(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url())) seen.requests.push(request.url());
    });
    await page.goto(address);
    await page.waitForSelector("footer");
    return { ...seen, ...(await body(page)) };
  } finally {
    await browser.close();
  }
}

// Chromium drops what goes beyond ten downloads a second, which only a test can click.
const kBetweenDownloads = 150; // ms

async function saved(page, button) {
  await page.waitForTimeout(kBetweenDownloads);
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
}

async function figures(page) {
  const found = [];
  for (const figure of await page.locator("figure.figure").all()) {
    const facts = await figure.evaluate((element) => ({
      id: element.id,
      title: element.querySelector("h3").textContent,
      caption: element.querySelector("figcaption").textContent,
      panels: [...element.querySelectorAll(".panel")].map((panel) => ({
        height: panel.getBoundingClientRect().height,
        // What is drawn: strokes and areas that have a shape, or rows of a table.
        shapes: [...panel.querySelectorAll("svg path, svg rect, svg circle")].filter(
          (shape) => shape.getBoundingClientRect().width > 0,
        ).length,
        rows: panel.querySelectorAll("tbody tr").length,
        pictures: panel.querySelectorAll("canvas, img, .tile").length,
        texts: [...panel.querySelectorAll("svg text")].map((text) => text.textContent),
      })),
    }));
    const svg = figure.locator(".save-svg");
    if ((await svg.count()) > 0) {
      facts.svg = await saved(page, svg);
      facts.svg.parsed = await page.evaluate((text) => {
        const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
        return {
          root: parsed.documentElement.tagName,
          errors: parsed.querySelectorAll("parsererror").length,
          shapes: parsed.querySelectorAll("path, rect, circle").length,
        };
      }, facts.svg.text);
    }
    facts.csv = await saved(page, figure.locator(".save-csv"));
    found.push(facts);
  }
  return found;
}

// The text that appears when the pointer goes over a figure's first panel.
async function hover(page, id) {
  const panel = page.locator(`#${id} .panel svg`).first();
  await panel.scrollIntoViewIfNeeded();
  const box = await panel.boundingBox();
  for (const y of [0.5, 0.3, 0.7, 0.85])
    for (const x of [0.6, 0.4, 0.2, 0.8, 0.95]) {
      await page.mouse.move(box.x + box.width * x, box.y + box.height * y, { steps: 2 });
      await page.waitForTimeout(30);
      const text = (await panel.locator('[aria-label="tip"] text').allTextContents()).join(" ");
      if (text !== "") return text;
    }
  return "";
}

// The background before and after a click on the switch between light and dark, which is then put back.
async function switchTheme(page) {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await background();
  await page.click("#theme");
  const after = await background();
  await page.click("#theme");
  return [before, after];
}

const look = (address, width, scheme) =>
  withPage(address, Number(width), scheme, async (page) => {
    const backgrounds = await switchTheme(page);
    const all = await figures(page);
    const drawn = all.filter((figure) => figure.svg).map((figure) => figure.id);
    const tips = {};
    for (const id of drawn) tips[id] = await hover(page, id);
    return {
      backgrounds,
      figures: all,
      tips,
      text: await page.evaluate(() => document.body.innerText),
      title: await page.title(),
      widths: await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]),
      hacked: await page.evaluate(() => window.hacked !== undefined),
      scripts: await page.evaluate(() => document.querySelectorAll("script, img:not(.circuit), iframe, object").length),
    };
  });

const watch = (address) =>
  withPage(address, 1200, "light", async (page) => {
    const state = () =>
      page.evaluate(() => ({
        status: document.getElementById("status").textContent.match(/step [\d,]+ of [\d,]+/)?.[0] ?? "",
        curve: document.querySelector("figure[id$=learning] svg")?.outerHTML.length ?? 0,
      }));
    await page.waitForFunction(() => /step [\d,]+ of/.test(document.getElementById("status").textContent));
    const first = await state();
    const deadline = Date.now() + 60000;
    let last = first;
    while (Date.now() < deadline && (last.status === first.status || last.curve <= first.curve)) {
      await page.waitForTimeout(500);
      last = await state();
    }
    return { first, last };
  });

const tiles = (address) =>
  withPage(address, 1200, "light", async (page) => {
    const texts = () => page.locator(".tile").allTextContents();
    const first = await texts();
    const deadline = Date.now() + 60000;
    let last = first;
    while (Date.now() < deadline && last.join() === first.join()) {
      await page.waitForTimeout(500);
      last = await texts();
    }
    return { first, last, workers: await page.locator("#workers tbody tr").allTextContents() };
  });

const film = (address) =>
  withPage(address, 1200, "light", async (page) => {
    const slider = page.locator(".films input[type=range]");
    const at = async (value) => {
      await slider.evaluate((element, v) => {
        element.value = v;
        element.dispatchEvent(new Event("input"));
      }, value);
      return page.locator(".films h4").allTextContents();
    };
    const [start, end] = [await at("0"), await at(await slider.getAttribute("max"))];
    await page.locator(".film").first().hover({ position: { x: 3, y: 3 } });
    return { start, end, about: await page.locator(".films p[role=status]").textContent() };
  });

// What the page of a circuit says about what it is shown; `ink` is how light the picture is, from 0 to 1.
const playState = (page) =>
  page.evaluate(() => {
    const pad = document.querySelector(".pad");
    let pixels = [];
    if (pad !== null) {
      // Of a copy: Chromium warns about canvases that are read again and again.
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [pad.width, pad.height];
      copy.getContext("2d").drawImage(pad, 0, 0);
      pixels = copy.getContext("2d").getImageData(0, 0, pad.width, pad.height).data;
    }
    let light = 0;
    for (let i = 0; i < pixels.length; i += 4) light += pixels[i] / 255;
    return {
      answer: document.querySelector(".answer b").textContent,
      counts: [...document.querySelectorAll(".bars .count")].map((element) => element.textContent),
      about: document.querySelector(".about")?.textContent ?? "",
      ink: (4 * light) / pixels.length,
    };
  });

// Clicks through the examples as a reader would, one by one.
async function flipThrough(page) {
  const flips = [];
  for (const example of await page.locator(".example").all()) {
    await example.evaluate((element) => element.click());
    flips.push(await playState(page));
  }
  return flips;
}

async function drawAcross(page) {
  const pad = page.locator(".pad");
  await page.getByRole("button", { name: "clear" }).click();
  const box = await pad.boundingBox();
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 0.2 * box.height);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 0.8 * box.height, { steps: 5 });
  await page.mouse.up();
  await page.waitForTimeout(100); // it is drawn with the next frame
  const drawn = await playState(page);
  await page.getByRole("button", { name: "clear" }).click();
  await page.waitForTimeout(100);
  return { drawn, cleared: await playState(page) };
}

async function openPicture(page, file) {
  await page.setInputFiles("input[type=file]", file);
  await page.waitForTimeout(300);
  return { opened: await playState(page), note: (await page.locator("[role=alert]").allTextContents()).join() };
}

// A dot of every map of the layers, and what is said about its neuron.
async function lookAtNeurons(page) {
  const neurons = [];
  for (const map of await page.locator(".map.clickable").all()) {
    const size = await map.evaluate((canvas) => [canvas.clientWidth / canvas.width / 2, canvas.clientHeight / canvas.height / 2]);
    await map.click({ position: { x: size[0], y: size[1] } });
    neurons.push(
      await page.evaluate(() => ({
        name: document.querySelector(".neuron h3").textContent,
        gate: document.querySelector(".neuron h4").textContent,
        rows: [...document.querySelectorAll(".truth tbody tr")].map((row) =>
          [...row.cells].map((cell) => parseInt(cell.textContent, 10)),
        ),
        reads: document.querySelectorAll(".neuron ol li").length,
        feeds: document.querySelector(".neuron").textContent.match(/It feeds[^]*/)?.[0] ?? "",
      })),
    );
  }
  return neurons;
}

// Dots that are on in the strip of every class.
const ballotCounts = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".ballot .map")].map((canvas) => {
      const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
      const style = document.createElement("canvas").getContext("2d");
      style.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--on");
      style.fillRect(0, 0, 1, 1);
      const [on] = new Uint32Array(style.getImageData(0, 0, 1, 1).data.buffer);
      return String(pixels.filter((pixel) => pixel === on).length);
    }),
  );

const play = (address, width, scheme, picture) =>
  withPage(address, Number(width), scheme, async (page) => {
    const backgrounds = await switchTheme(page);
    const flips = await flipThrough(page);
    const isPicture = (await page.locator(".pad").count()) > 0;
    return {
      backgrounds,
      flips,
      csv: flips.length > 0 ? (await saved(page, page.locator(".save-csv"))).text : "",
      ...(isPicture ? await drawAcross(page) : {}),
      ballots: isPicture ? await ballotCounts(page) : [],
      neurons: await lookAtNeurons(page),
      ...(picture ? await openPicture(page, picture) : {}),
      controls: await page.evaluate(() => [...document.querySelectorAll(".column input, .column select")].map((c) => c.type)),
      speed: await page.evaluate(() => document.getElementById("speed").textContent),
      text: await page.evaluate(() => document.body.innerText),
      widths: await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]),
      hacked: await page.evaluate(() => window.hacked !== undefined),
      scripts: await page.evaluate(() => document.querySelectorAll("script, img:not(.circuit), iframe, object").length),
    };
  });

const shoot = (address, width, height, scheme, selector, file) =>
  withPage(address, Number(width), scheme, async (page) => {
    const box = await page.locator(selector).boundingBox();
    const clip = { x: 0, y: Math.max(0, box.y - 12), width: Number(width), height: Number(height) };
    await page.screenshot({ path: file, fullPage: true, clip });
    return { file };
  });

const [mode, ...rest] = process.argv.slice(2);
({ look, watch, tiles, film, play, shoot })[mode](...rest).then(
  (facts) => process.stdout.write(JSON.stringify(facts)),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
