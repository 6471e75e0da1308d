// What things are called on the page.
export const countText = (count) => count.toLocaleString("en");
export const numberText = (value) => String(Number(Number(value).toPrecision(5)));
export const plural = (count, word, more = `${word}s`) => `${countText(count)} ${count === 1 ? word : more}`;

const kColours = ["red", "green", "blue"];

// Names of inputs: bits of pixels or of columns. `columns` is empty where features have no names.
export class InputNames {
  constructor(encoder, columns) {
    this.encoder = encoder;
    this.features = new Map();
    for (const { name, first, categories } of columns)
      if (categories.length === 0) this.features.set(first, name);
      else categories.forEach((category, i) => this.features.set(first + i, `${name} is ${category}`));
  }

  feature(feature) {
    const [channels, height, width] = this.encoder.shape;
    if (this.features.has(feature)) return this.features.get(feature);
    if (height * width === 1) return `feature ${feature}`;
    const channel = Math.floor(feature / (height * width));
    const place = feature % (height * width);
    const colour = channels === 3 ? `${kColours[channel]} of ` : channels > 1 ? `channel ${channel} of ` : "";
    return `${colour}pixel ${place % width}, ${Math.floor(place / width)}`;
  }

  // A bit of the input, by channel and place of the encoded input.
  bit(channel, y, x) {
    const [channels, height, width] = this.encoder.shape;
    const feature = ((channel % channels) * height + y) * width + x;
    const name = this.feature(feature);
    if (name.includes(" is ") && this.features.has(feature)) return name;
    if (this.encoder.encoding === "passthrough") return `${name} is on`;
    return `${name} > ${numberText(this.encoder.threshold(Math.floor(channel / channels), feature))}`;
  }
}
