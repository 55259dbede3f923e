"use strict";
const record = JSON.parse(document.getElementById("record").textContent);
const rows = document.getElementById("rows");
const top_ = record.levels.length - 1;
const letters = "ABC";
const PIXELS = 72;

const short = (value) => {
  if (value === 0) return "0";
  const text = Math.abs(value) >= 0.00095 ? value.toPrecision(2) : value.toExponential(1);
  return text.replaceAll("-", "−");
};
const both = (values, write = short) => values.map(write).join(" | ");
const name = (level, node) => `level ${level + 1}, node ${node}`;

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// A map of signed bytes, bilinear between the centres of its cells, as in the figures.
function paint(canvas, map, [height, width]) {
  const bytes = Int8Array.from(atob(map), (letter) => letter.charCodeAt(0));
  const image = new ImageData(PIXELS, PIXELS);
  const along = (pixel, cells) => {
    const at = Math.min(Math.max((pixel + 0.5) * cells / PIXELS - 0.5, 0), cells - 1);
    const low = Math.floor(at);
    return [low, Math.min(low + 1, cells - 1), at - low];
  };
  for (let y = 0; y < PIXELS; y++) {
    const [above, below, down] = along(y, height);
    for (let x = 0; x < PIXELS; x++) {
      const [left, right, across] = along(x, width);
      const row = (r) => bytes[r * width + left] * (1 - across) + bytes[r * width + right] * across;
      const value = (row(above) * (1 - down) + row(below) * down) / 127;
      const strength = Math.pow(Math.abs(value), {{ colours.bend }});
      const [weak, strong] = value > 0 ? {{ colours.for|tojson }} : {{ colours.against|tojson }};
      const rgb = weak.map((low, i) => low + (strong[i] - low) * strength);
      image.data.set([...rgb, 255 * {{ colours.opacity }} * strength], 4 * (y * PIXELS + x));
    }
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
}

function thumbnails(level, node) {
  const { grids, nodes } = record.levels[level];
  return nodes[node].maps.map((map, i) => {
    const canvas = make("canvas", { width: PIXELS, height: PIXELS });
    paint(canvas, map, grids[i]);
    const title = `${letters[i]}: the node's number is ${short(nodes[node].numbers[i])}`;
    const picture = make("img", { src: record.pictures[i], alt: "" });
    return make("span", { className: "thumb", title }, picture, canvas, make("span", { textContent: letters[i] }));
  });
}

// One node. Its edge, from the node that it feeds, is a weight and its share of the row's largest.
function card(level, node, edge) {
  const it = record.levels[level].nodes[node];
  const lambda = it.weight.map((weight, i) => weight * it.reliability[i]);
  const row = (text) => make("span", { className: "row", textContent: text });
  const button = make("button", { type: "button", className: "card" });
  button.dataset.node = node;
  button.setAttribute("aria-pressed", "false");
  if (edge) {
    const bar = make("span");
    bar.style.width = `${100 * edge.share}%`;
    const weight = make("span", { className: "row" }, "ω̃ ", make("i", { textContent: short(edge.weight) }));
    button.append(weight, make("span", { className: "edge" }, bar));
  }
  button.append(
    make("b", { textContent: `node ${node}` }),
    make("span", { className: "thumbs" }, ...thumbnails(level, node)),
    row(`δ ${both(it.difference)}`),
    row(`p ${both(it.reliability, (p) => p.toFixed(3))}`),
    row(`λ ${both(lambda)}`),
  );
  button.addEventListener("click", () => choose(level, node));
  return button;
}

// How a node's difference is made up, a sentence for each pair.
function said(level, node) {
  const it = record.levels[level].nodes[node];
  return it.reliability.map((p, i) => {
    const own = it.difference[i];
    const heard = p < 1 ? Math.max(it.rectified[i] - p * own, 0) / (1 - p) : 0;
    const who = it.reliability.length > 1 ? `A with ${letters[i + 1]}: ` : "";
    return `${who}${p.toFixed(3)} × its own ${short(own)} + ${(1 - p).toFixed(3)} × ${short(heard)} from the nodes below ` +
      `= ${short(it.rectified[i])}, which counts ${short(it.weight[i])} times in the distance.`;
  });
}

function topRow() {
  const section = make("section", {}, make("h2", { textContent: `Level ${top_ + 1}` }));
  section.append(make("p", { textContent: "Choose a node to see what feeds it." }));
  for (const { name, nodes } of record.start) {
    section.append(make("h3", { textContent: name }));
    section.append(make("div", { className: "cards" }, ...nodes.map((node) => card(top_, node))));
  }
  return section;
}

function rowBelow(level, node) {
  const near = record.levels[level].nodes[node].near;
  const total = near.reduce((sum, [, weight]) => sum + weight, 0);
  const heading = make("h2", { textContent: `Level ${level}: what feeds ${name(level, node)}` });
  const section = make("section", {}, heading);
  section.append(...said(level, node).map((textContent) => make("p", { textContent })));
  if (!near.length) {
    section.append(make("p", { textContent: "No node of the level below goes with it." }));
    return section;
  }
  const text = `The ${near.length} that feed it most, with ${Math.round(100 * total)} % of the weight of all.`;
  section.append(make("p", { textContent: text }));
  const edge = (weight) => ({ weight, share: weight / near[0][1] });
  const cards = near.map(([below, weight]) => card(level - 1, below, edge(weight)));
  section.append(make("div", { className: "cards" }, ...cards));
  return section;
}

// The rows are a path from the top; choosing a node replaces what is below its row.
let path = [];

function choose(level, node, remember = true) {
  const depth = top_ - level;
  path = [...path.slice(0, depth), node];
  while (rows.children.length > depth + 1) rows.lastElementChild.remove();
  for (const button of rows.children[depth].querySelectorAll(".card")) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.node) === node));
  }
  if (level > 0) rows.append(rowBelow(level, node));
  if (!remember) return;
  try { history.replaceState(null, "", `#${path.join(".")}`); } catch { /* inside a frame there is no address */ }
}

function fromAddress() {
  const asked = location.hash.slice(1).split(".").filter(Boolean).map(Number);
  path = [];
  rows.replaceChildren(topRow());
  asked.every((node, depth) => {
    const row = rows.children[depth];
    if (!row || !row.querySelector(`[data-node="${node}"]`)) return false;
    choose(top_ - depth, node, false);
    return true;
  });
}

for (const image of document.querySelectorAll("[data-picture]")) image.src = record.pictures[image.dataset.picture];
fromAddress();
window.addEventListener("hashchange", fromAddress);
