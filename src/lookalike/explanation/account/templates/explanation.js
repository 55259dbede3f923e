"use strict";
const record = JSON.parse(document.getElementById("record").textContent);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// Maps: one button pressed at a time, its maps shown on both pictures.
for (const button of all(".bar")) {
  button.addEventListener("click", () => {
    for (const other of all(".bar")) other.setAttribute("aria-pressed", String(other === button));
    for (const map of all(".map")) map.hidden = map.dataset.panel !== button.dataset.panel;
  });
}

// Regions: a cell of one picture, and what each cell of the other gave together with it.
const sides = all(".cells");
const told = document.getElementById("told");
const invitation = told && told.textContent;
const letters = ["a", "b"];
let kept = null;

const signed = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toPrecision(3);
const at = (side, row, column) => row * record.pictures[side].grid[1] + column;

function matched(side, row, column) {
  const cell = at(side, row, column);
  return side === 0 ? record.regions[cell] : record.regions.map((values) => values[cell]);
}

function paint(rect, value, limit) {
  const strength = limit > 0 ? Math.pow(Math.abs(value) / limit, {{ colours.bend }}) : 0;
  const [weak, strong] = value > 0 ? {{ colours.for|tojson }} : {{ colours.against|tojson }};
  const rgb = weak.map((low, i) => Math.round(low + (strong[i] - low) * strength));
  rect.style.fill = `rgba(${rgb.join(",")},${({{ colours.opacity }} * strength).toFixed(3)})`;
  rect.firstElementChild.textContent = signed(value);
}

function clear() {
  for (const rect of all(".cell")) {
    rect.classList.remove("chosen");
    rect.style.fill = "";
    rect.firstElementChild.textContent = "";
  }
  told.textContent = invitation;
}

function show(choice) {
  clear();
  if (!choice) return;
  const [side, row, column] = choice;
  const values = matched(side, row, column);
  const limit = Math.max(...values.map(Math.abs));
  const total = values.reduce((sum, value) => sum + value, 0);
  const best = values.indexOf(Math.max(...values));
  const columns = record.pictures[1 - side].grid[1];
  all(".cell", sides[side])[at(side, row, column)].classList.add("chosen");
  all(".cell", sides[1 - side]).forEach((rect, i) => paint(rect, values[i], limit));
  const [here, there] = side === 0 ? "AB" : "BA";
  told.textContent = `Cell (${row}, ${column}) of ${here} gives ${signed(total)} of the score. ` +
    `Its best match is cell (${Math.floor(best / columns)}, ${best % columns}) of ${there}, ${signed(values[best])}. ` +
    `Strongest colour: ±${limit.toPrecision(2)}.`;
}

function keep(choice) {
  kept = choice;
  const address = choice ? `#${letters[choice[0]]}=${choice[1]},${choice[2]}` : location.pathname;
  try { history.replaceState(null, "", address); } catch { /* inside a frame there is no address */ }
  show(kept);
}

function fromAddress() {
  const found = /^#([ab])=(\d+),(\d+)$/.exec(location.hash);
  if (!found || !sides.length) return;
  const side = letters.indexOf(found[1]);
  const [row, column] = [Number(found[2]), Number(found[3])];
  const [rows, columns] = record.pictures[side].grid;
  if (row < rows && column < columns) { kept = [side, row, column]; show(kept); }
}

sides.forEach((svg, side) => {
  const under = (event) => {
    const cell = event.target.dataset.cell;
    return cell ? [side, ...cell.split(",").map(Number)] : null;
  };
  svg.addEventListener("pointermove", (event) => { const cell = under(event); if (cell) show(cell); });
  svg.addEventListener("pointerleave", () => show(kept));
  svg.addEventListener("click", (event) => {
    const cell = under(event);
    keep(cell && String(cell) === String(kept) ? null : cell);
  });
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (event.key === "Escape") keep(null);
    if (!step) return;
    event.preventDefault();
    const [rows, columns] = record.pictures[side].grid;
    const within = (value, count) => Math.min(Math.max(value, 0), count - 1);
    const [, row, column] = kept && kept[0] === side ? kept : [side, -step[0], -step[1]];
    keep([side, within(row + step[0], rows), within(column + step[1], columns)]);
  });
});
fromAddress();
window.addEventListener("hashchange", fromAddress);

{% include "download.js" %}
