// The vote: one bar per class, as long as its count of gates that are on.
import { h, shortened } from "../dom.js";
import { countText, numberText, plural } from "./words.js";

export class Votes {
  constructor(model) {
    this.model = model;
    const names = model.head.groups === 1 ? [model.classes[1] ?? "gates that are on"] : model.classes;
    this.bars = names.map((name) => this.bar(name));
    this.answer = h("p", { class: "answer", role: "status" });
    const bars = this.bars.map(({ element }) => element);
    this.element = h("div", { class: "votes" }, this.answer, h("div", { class: "bars" }, bars));
  }

  bar(name) {
    const { head } = this.model;
    const fill = h("span", { class: "fill" });
    const count = h("span", { class: "count" });
    const enough = `left: ${(100 * head.leastForSecond) / head.votes}%`;
    const marker =
      head.groups === 1 && !head.is_value ? h("span", { class: "marker", title: "enough votes", style: enough }) : null;
    const element = h(
      "div",
      { class: "bar" },
      h("span", { class: "name", title: name }, shortened(name, 24)),
      h("span", { class: "track" }, fill, marker),
      count,
    );
    return { element, fill, count };
  }

  // truth: the class or value of the example that is shown, or null.
  show(counts, truth) {
    const { head, classes } = this.model;
    const answer = head.decide(counts);
    this.bars.forEach(({ element, fill, count }, g) => {
      fill.style.width = `${(100 * counts[g]) / head.votes}%`;
      count.textContent = countText(counts[g]);
      element.classList.toggle("winner", head.groups > 1 && g === answer);
      element.classList.toggle("truth", head.groups > 1 && g === truth);
    });
    const words = head.is_value ? numberText(answer) : shortened(classes[answer], 60);
    const verdict = truth === null ? [] : [this.verdict(answer, truth)];
    this.answer.replaceChildren(h("b", {}, words), h("small", {}, this.reason(counts, answer)), ...verdict);
  }

  verdict(answer, truth) {
    if (this.model.head.is_value) return h("small", {}, `the example says ${numberText(truth)}`);
    if (answer === truth) return h("small", { class: "right" }, "✓ right");
    return h("small", { class: "wrong" }, `✗ the label says ${shortened(this.model.classes[truth], 40)}`);
  }

  reason(counts, answer) {
    const { head, classes } = this.model;
    if (head.is_value) return `from ${plural(counts[0], "gate")} of ${countText(head.votes)} that are on`;
    if (head.groups === 1)
      return `${plural(counts[0], "vote")} for ${shortened(classes[1], 30)}; ${countText(head.leastForSecond)} suffice`;
    const second = Math.max(...counts.filter((_, g) => g !== answer));
    const lead = counts[answer] - second;
    return lead === 0 ? "a tie: the first class wins" : `ahead by ${plural(lead, "vote")}`;
  }
}
