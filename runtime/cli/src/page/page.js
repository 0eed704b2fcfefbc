"use strict";
// The page of a report: plots, linked columns, values, control flow. All data are in the element "data", packed.

const ROW = 18;
// Pixels above the register file.
const MAP_TOP = 8;
// Most values without names that are listed.
const MANY = 4000;
// Least width of a column, in pixels.
const NARROW = 80;
const $ = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter(child => child !== null));
  return element;
};
const svg = (tag, attributes = {}, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const number = n => Math.round(n).toLocaleString("en");
const clamp = (n, low, high) => Math.max(low, Math.min(high, n));
const CAUSES = { r: "results", m: "messages", u: "busy units", b: "banks" };

// A colour of its own for each value; neighbours differ.
const HUES = 89;
const palette = parts => Array.from({ length: HUES }, (_, n) => `hsl(${(n * 137.508) % 360} ${parts})`);
const PALETTES = [palette("58% 62%"), palette("45% 55%")];
const paint = (n, dark) => PALETTES[Number(dark)][n % HUES];
const isDark = () => document.documentElement.classList.contains("dark");

const tip = document.getElementById("tip");
function showTip(event, text) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${clamp(event.clientX + 14, 4, innerWidth - box.width - 6)}px`;
  tip.style.top = `${clamp(event.clientY + 16, 4, innerHeight - box.height - 6)}px`;
}
const hideTip = () => { tip.hidden = true; };

// Parts of a line of machine code or vISA, coloured.
const TOKEN = /(\/\/.*$)|\b([rf]\d+(?:\.\d+)?|acc\d+|a0(?:\.\d+)?|[VP]\d+|T\d+|%\w+)\b|(\{[^}]*\})|(\b0x[0-9a-fA-F]+\b|-?\b\d+\.?\d*\b)|(L\d+\b)|([a-z][\w.]*)/g;
function coloured(text, build, at) {
  const parts = [];
  let end = 0, first = true;
  const add = (name, piece) => parts.push($("span", { class: name }, piece));
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[1]) add("c", match[0]);
    else if (match[2]) add("r", match[0]);
    else if (match[3] && build && build.waits[at]) {
      parts.push($("span", { class: "wait", "data-to": build.waits[at][0], title: `waits for instruction ${build.waits[at].join(", ")}` }, match[0]));
    } else if (match[3]) add("c", match[0]);
    else if (match[4]) add("m", match[0]);
    else if (match[5] && build) {
      const to = build.atOffset(Number(match[5].slice(1)));
      parts.push(to === undefined ? match[0] : $("span", { class: "wait", "data-to": to }, match[0]));
    } else if (match[6] && first) { first = false; add("o", match[0]); }
    else parts.push(match[0]);
  }
  parts.push(text.slice(end));
  return parts;
}

// A border between two elements that can be dragged, or moved by arrows: it changes the width of both, or of the right one alone.
function handle(left, right) {
  const move = by => {
    const widths = [left, right].map(element => element && element.getBoundingClientRect().width);
    by = clamp(by, left ? NARROW - widths[0] : -innerWidth, Math.max(0, widths[1] - NARROW));
    if (left) left.style.flex = `0 1 ${widths[0] + by}px`;
    // The last column takes what is left.
    if (!left) right.style.width = `${clamp(widths[1] - by, NARROW, innerWidth / 2)}px`;
  };
  const key = event => {
    const by = { ArrowLeft: -20, ArrowRight: 20 }[event.key];
    if (by) { event.preventDefault(); event.stopPropagation(); move(by); }
  };
  return $("div", {
    class: "handle", role: "separator", tabindex: 0, "aria-orientation": "vertical", "aria-label": "width of the column", onkeydown: key,
    onpointerdown: event => { event.preventDefault(); event.target.setPointerCapture(event.pointerId); },
    onpointermove: event => { if (event.buttons) move(event.movementX); },
  });
}

// A list of many rows, of which only those in view exist.
class List {
  constructor(count, draw) {
    this.count = count;
    this.draw = draw;
    this.rows = new Map();
    this.space = $("div", { class: "space" });
    this.space.style.height = `${count * ROW}px`;
    this.element = $("div", { class: "list", tabindex: 0 }, this.space);
    this.element.addEventListener("scroll", () => this.update());
    new ResizeObserver(() => this.update()).observe(this.element);
  }
  update(again = false) {
    const top = Math.floor(this.element.scrollTop / ROW) - 8;
    const end = top + Math.ceil(this.element.clientHeight / ROW) + 16;
    for (const [at, row] of this.rows) {
      if (again || at < top || at >= end) { row.remove(); this.rows.delete(at); }
    }
    for (let at = Math.max(0, top); at < Math.min(this.count, end); at++) {
      if (this.rows.has(at)) continue;
      const row = this.draw(at);
      row.style.top = `${at * ROW}px`;
      this.rows.set(at, row);
      this.space.append(row);
    }
  }
  show(at, centre = false) {
    const list = this.element, top = at * ROW;
    const inside = top >= list.scrollTop + ROW && top <= list.scrollTop + list.clientHeight - 3 * ROW;
    if (!inside || centre) list.scrollTop = top - list.clientHeight / 2;
    this.update();
  }
}

class Build {
  constructor(data, page, index) {
    Object.assign(this, data);
    this.page = page;
    this.index = index;
    this.text = data.lines.split("\n");
    this.count = this.live.length;
    this.chosen = this.peak;
    this.range = [0, this.count];
    this.scratchAt = new Map(this.scratch.map(access => [access.at, access]));
    this.maxCost = 1;
    for (let at = 0; at < this.count; at++) this.maxCost = Math.max(this.maxCost, this.issue[at] + this.stall[at]);
    this.linkVisa = this.links(this.ofVisa);
    this.linkLine = this.links(this.ofLine);
    this.readSpans();
    this.build();
  }

  links(of) {
    const links = new Map();
    (of || []).forEach((to, at) => {
      if (to < 0) return;
      if (!links.has(to)) links.set(to, []);
      links.get(to).push(at);
    });
    return links;
  }

  // The instruction that begins at an offset.
  atOffset(offset) {
    const { offsets } = this;
    let low = 0, high = offsets.length;
    while (low < high) { const middle = (low + high) >> 1; if (offsets[middle] < offset) low = middle + 1; else high = middle; }
    return offsets[low] === offset ? low : undefined;
  }

  // Spans stay the numbers that they are, six each, by register and by place: large code has half a million.
  readSpans() {
    const { spans } = this, count = spans.length / 6;
    this.rows = new Map();
    let last = null, values = 0;
    for (let n = 0; n < count; n++) {
      const row = spans[6 * n];
      if (!last || last.row !== row) this.rows.set(row, last = { row, first: n, end: n });
      last.end = n + 1;
      values = Math.max(values, spans[6 * n + 3] + 1);
    }
    this.mapRows = [...this.rows.keys()];
    // A value is in one register.
    const of = this.of = { row: new Uint16Array(values), from: new Uint32Array(values), to: new Uint32Array(values), length: new Uint32Array(values), writes: new Uint32Array(values), reads: new Uint32Array(values) };
    for (let n = 0; n < count; n++) {
      const { row, from, to, value, writes, reads } = this.span(n);
      if (!of.length[value]) of.from[value] = from;
      of.row[value] = row;
      of.to[value] = Math.max(of.to[value], to);
      of.length[value] += to - from + 1;
      of.writes[value] += writes;
      of.reads[value] += reads;
    }
  }

  span(n) {
    const { spans } = this, at = 6 * n;
    return { row: spans[at], from: spans[at + 1], to: spans[at + 1] + spans[at + 2], value: spans[at + 3], writes: spans[at + 4], reads: spans[at + 5] };
  }

  value(number) {
    const { of } = this;
    return { number, rows: [of.row[number]], from: of.from[number], to: of.to[number], length: of.length[number], writes: of.writes[number], reads: of.reads[number] };
  }

  // The values that have names, and the others that cost most.
  costly() {
    const { length } = this.of;
    const others = Array.from(length.keys()).filter(n => length[n] > 0 && !this.names[n]).sort((a, b) => length[b] - length[a]).slice(0, MANY);
    return [...Object.keys(this.names).map(Number).filter(n => length[n] > 0), ...others].map(n => this.value(n));
  }

  spanAt(row, at) {
    const { first, end } = this.rows.get(row) || { first: 0, end: 0 }, { spans } = this;
    let low = first, high = end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (spans[6 * middle + 1] <= at) low = middle + 1; else high = middle;
    }
    const span = low > first ? this.span(low - 1) : null;
    return span && span.to >= at ? span : null;
  }

  placesOf(value) {
    const runs = [];
    for (const row of [...value.rows].sort((a, b) => a - b)) {
      const last = runs[runs.length - 1];
      if (last && last[1] === row - 1) last[1] = row; else runs.push([row, row]);
    }
    // The hyphen begins no new line.
    return runs.map(([a, b]) => a === b ? `r${a}` : `r${a}\u2011r${b}`).join(" ");
  }

  nameOf(value) {
    const name = this.names[value.number];
    return name ? `${name} · ${this.placesOf(value)}` : this.placesOf(value);
  }

  // Values of one variable, or else neighbours that live in the same stretch, are one line.
  grouped(values) {
    const groups = new Map();
    for (const value of [...values].sort((a, b) => Math.min(...a.rows) - Math.min(...b.rows))) {
      const name = this.names[value.number];
      const key = name ? `n${name}` : `${value.from} ${value.to} ${value.writes} ${value.reads}`;
      const group = groups.get(key);
      if (!group) groups.set(key, { ...value, rows: new Set(value.rows) });
      else {
        value.rows.forEach(row => group.rows.add(row));
        group.from = Math.min(group.from, value.from);
        group.to = Math.max(group.to, value.to);
        group.length += value.length;
        group.reads = Math.max(group.reads, value.reads);
      }
    }
    return [...groups.values()];
  }

  build() {
    const wide = this.page.data.length > 1;
    this.element = $("section", { class: "build", tabindex: -1, onmousedown: () => this.page.activate(this) });
    // Numbers of instructions have as many digits as the last.
    const digits = String(Math.max(this.count, (this.visa || []).length)).length;
    const wideNumber = `${Math.max(40, 16 + 7.3 * digits)}px`, wideAfter = `${Math.max(54, 12 + 6.8 * digits)}px`;
    this.element.style.setProperty("--number", wideNumber);
    this.element.style.setProperty("--after", wideAfter);
    const fact = (label, value) => $("span", {}, `${label} `, $("b", {}, value));
    const [cause, most] = this.bottleneck;
    const spills = this.scratch.filter(access => access.writes).length;
    this.element.append($("div", { class: "facts" },
      $("span", { class: "name", title: this.file }, wide ? `${this.name} — ${this.platform} — ${this.file}` : this.file),
      fact("platform", this.platform),
      fact("instructions", number(this.count)),
      fact("live at most", `${this.live[this.peak] ?? 0} of ${this.grfs} GRFs`),
      fact("spills", `${number(spills)} stores, ${number(this.scratch.length - spills)} loads`),
      fact("cycles", number(this.cycles)),
      fact("mostly", `${cause} (${Math.round(100 * most / Math.max(1, this.cycles))} %)`),
      this.counts ? fact("executed", number(this.counts.reduce((a, b) => a + b, 0))) : null));
    this.pressure = $("canvas", { height: wide ? 90 : 104, role: "img", "aria-label": "live registers along the code" });
    this.map = $("canvas", { height: wide ? 96 : 114, role: "img", "aria-label": "register file along the code" });
    this.element.append($("div", { class: "plots" },
      $("div", { class: "plot" }, $("div", { class: "label" }, "live GRFs along the code"), this.pressure),
      $("div", { class: "plot" }, $("div", { class: "label" }, "register file, a colour a value"), this.map)));
    for (const canvas of [this.pressure, this.map]) {
      canvas.style.height = `${canvas.getAttribute("height")}px`;
      this.listen(canvas);
    }
    const columns = $("div", { class: "columns" });
    this.lists = {};
    const column = (name, title, list, head) => {
      this.lists[name] = list;
      const made = $("div", { class: `column ${name}` }, $("h2", { class: "head" }, ...(head || [title])), list.element);
      if (columns.lastChild) columns.append(handle(columns.lastChild, made));
      columns.append(made);
    };
    if (this.files && this.files.length && !wide) {
      this.sourceRows = [];
      this.sourceStart = [];
      this.files.forEach((file, f) => {
        this.sourceStart.push(this.sourceRows.length);
        this.sourceRows.push([f, 0, file.name]);
        (file.lines || []).forEach((line, n) => this.sourceRows.push([f, n + 1, line]));
      });
      column("source", "source", new List(this.sourceRows.length, at => this.sourceRow(at)));
    }
    if (this.visa && !wide) column("visa", "vISA", new List(this.visa.length, at => this.visaRow(at)));
    const heads = [["var(--number)", "#"], ["68px", "live"], ["72px", "cycles"], ["var(--after)", "after"], this.counts ? ["66px", "times"] : null, ["", "machine code"]];
    column("code", "", new List(this.count, at => this.codeRow(at)), heads.filter(Boolean).map(([width, name]) => {
      const span = $("span", { class: name === "machine code" || name === "live" ? "" : "right" }, name);
      span.style.width = width;
      return span;
    }));
    this.pane = $("div", { class: "pane" });
    const tabs = [["Here", () => this.showHere()], ["Values", () => this.showValues()], ["Flow", () => this.showFlow()], ["Loops", () => this.showLoops()]];
    this.tabs = $("div", { class: "tabs", role: "tablist" }, ...tabs.map(([name, show]) =>
      $("button", { role: "tab", "aria-selected": "false", "data-tab": name, onclick: () => this.tab(name) }, name)));
    this.tabShows = Object.fromEntries(tabs);
    const side = $("div", { class: "side" }, this.tabs, this.pane);
    this.element.append($("div", { class: "work" }, columns, handle(null, side), side));
    columns.addEventListener("click", event => this.click(event));
    columns.addEventListener("mousemove", event => this.hover(event));
    columns.addEventListener("mouseleave", () => { hideTip(); this.link(null); });
  }

  start() {
    this.choose(this.chosen, true);
    this.tab("Here");
    new ResizeObserver(() => this.drawPlots()).observe(this.pressure);
  }

  codeRow(at) {
    const bar = $("i");
    bar.style.width = `${36 * this.live[at] / this.grfs}px`;
    const issue = $("i", { class: "issue" }), stall = $("i", { class: "stall" });
    const scale = n => 38 * Math.sqrt(n / this.maxCost);
    issue.style.width = `${scale(this.issue[at])}px`;
    stall.style.left = issue.style.width;
    stall.style.width = `${scale(this.stall[at])}px`;
    const cost = this.issue[at] + this.stall[at];
    const row = $("div", { class: "row", "data-at": at },
      $("span", { class: "n" }, String(at)),
      $("span", { class: "bar" }, bar, $("b", {}, String(this.live[at]))),
      $("span", { class: "cost" }, issue, stall, $("b", {}, String(cost))));
    const after = this.by[at] ?? (this.waits[at] || [])[0];
    row.append($("span", { class: "from" }, after === undefined ? "" : $("span", { class: "wait", "data-to": after, title: "the instruction that it waits for" }, String(after))));
    if (this.counts) row.append($("span", { class: "times" }, number(this.counts[at])));
    const access = this.scratchAt.get(at);
    if (access) row.append($("span", { class: "mark" }, access.writes ? "spill" : "fill"));
    row.append($("span", { class: "t" }, ...coloured(this.text[at], this, at)));
    this.mark(row, at);
    return row;
  }

  mark(row, at) {
    row.classList.toggle("chosen", at === this.chosen);
    row.classList.toggle("linked", Boolean(this.linked && this.linked.code.has(at)));
    row.classList.toggle("hit", this.page.hits(this).has(at));
  }

  visaRow(at) {
    const row = $("div", { class: "row", "data-visa": at }, $("span", { class: "n" }, String(at)), $("span", { class: "t" }, ...coloured(this.visa[at])));
    row.classList.toggle("linked", Boolean(this.linked && this.linked.visa.has(at)));
    row.classList.toggle("chosen", this.ofVisa[this.chosen] === at);
    return row;
  }

  sourceRow(at) {
    const [, line, text] = this.sourceRows[at];
    const row = $("div", { class: `row${line ? "" : " label"}`, "data-source": at }, $("span", { class: "n" }, line ? String(line) : ""), $("span", { class: "t" }, text));
    row.classList.toggle("linked", Boolean(this.linked && this.linked.source.has(at)));
    row.classList.toggle("chosen", this.sourceOf(this.chosen) === at);
    return row;
  }

  // Lines are numbered over all files: those of a file follow its first.
  sourceOf(at) {
    const line = this.ofLine ? this.ofLine[at] : -1;
    if (line < 0 || !this.sourceRows) return -1;
    const file = Math.floor(line / 1e6);
    return this.sourceStart[file] + Math.min(line % 1e6, (this.files[file].lines || []).length);
  }

  // What belongs together with instructions, an instruction of vISA, or a line of the source.
  related(event) {
    const row = event.target.closest(".row");
    if (!row) return null;
    if (row.dataset.at !== undefined) return { at: Number(row.dataset.at) };
    if (row.dataset.visa !== undefined) return { visa: Number(row.dataset.visa), at: (this.linkVisa.get(Number(row.dataset.visa)) || [])[0] };
    const source = Number(row.dataset.source);
    const [file, line] = this.sourceRows[source];
    return { source, line: file * 1e6 + line, at: (this.linkLine.get(file * 1e6 + line) || [])[0] };
  }

  link(related) {
    const sets = { code: new Set(), visa: new Set(), source: new Set() };
    if (related) {
      let code = related.at === undefined ? [] : [related.at];
      if (related.line !== undefined) code = this.linkLine.get(related.line) || [];
      else if (related.visa !== undefined) code = this.linkVisa.get(related.visa) || [];
      else if (this.ofVisa && this.ofVisa[related.at] >= 0) code = this.linkVisa.get(this.ofVisa[related.at]);
      code.forEach(at => {
        sets.code.add(at);
        if (this.ofVisa && this.ofVisa[at] >= 0) sets.visa.add(this.ofVisa[at]);
        const source = this.sourceOf(at);
        if (source >= 0) sets.source.add(source);
      });
      if (related.visa !== undefined) sets.visa.add(related.visa);
      if (related.source !== undefined) sets.source.add(related.source);
    }
    this.linked = related ? sets : null;
    for (const [name, list] of Object.entries(this.lists)) {
      for (const [at, row] of list.rows) row.classList.toggle("linked", sets[name].has(at));
    }
    return sets;
  }

  hover(event) {
    const related = this.related(event);
    if (!related) { hideTip(); return; }
    this.link(related);
    this.page.linkOthers(this, related);
    if (related.at !== undefined && event.target.closest("[data-at]")) showTip(event, this.describe(related.at));
    else hideTip();
  }

  click(event) {
    const to = event.target.dataset.to;
    if (to !== undefined) { this.choose(Number(to), true); return; }
    const related = this.related(event);
    if (related && related.at !== undefined) {
      this.choose(related.at, false);
      this.page.chooseOthers(this, related.at);
    }
  }

  describe(at) {
    const lines = [`instruction ${at} at ${this.offsets[at]} (0x${this.offsets[at].toString(16)})`];
    lines.push(`${this.live[at]} of ${this.grfs} GRFs live, ${number(this.bytes[at])} bytes${this.maybe[at] ? `, ${this.maybe[at]} more perhaps` : ""}`);
    const cause = CAUSES[this.cause[at]];
    lines.push(`issue ${this.issue[at]} cycles${this.stall[at] ? `, waits ${this.stall[at]} for ${cause}${this.by[at] !== undefined ? ` of instruction ${this.by[at]}` : ""}` : ""}`);
    if (this.waits[at]) lines.push(`its annotation names ${this.waits[at].map(n => `${n}: ${this.text[n].trim().slice(0, 46)}`).join("\n  ")}`);
    const access = this.scratchAt.get(at);
    if (access) lines.push(`${access.writes ? "spill" : "fill"} of ${access.bytes} bytes at ${access.offset} in scratch space${access.name ? `: ${access.name}` : ""}`);
    if (this.counts) lines.push(`executed ${number(this.counts[at])} times`);
    return lines.join("\n");
  }

  choose(at, scroll) {
    if (at === undefined || at === null || at < 0 || at >= this.count) return;
    this.chosen = at;
    this.lists.code.show(at, scroll);
    if (this.lists.visa && this.ofVisa[at] >= 0) this.lists.visa.show(this.ofVisa[at], scroll);
    const source = this.sourceOf(at);
    if (this.lists.source && source >= 0) this.lists.source.show(source, scroll);
    this.link({ at });
    for (const list of Object.values(this.lists)) list.update(true);
    if (at < this.range[0] || at >= this.range[1]) {
      const half = (this.range[1] - this.range[0]) / 2;
      this.zoom(at - half, at + half);
    }
    this.drawPlots();
    if (this.shown === "Here") this.showHere();
    if (this.shown === "Flow") this.markFlow();
  }

  zoom(from, to) {
    const width = clamp(to - from, Math.min(20, this.count), this.count);
    from = clamp(from, 0, this.count - width);
    this.range = [from, from + width];
    this.drawPlots();
  }

  // Plots.
  x(at) { return 34 + (at - this.range[0]) / (this.range[1] - this.range[0]) * (this.plotWidth - 40); }
  atX(x) { return clamp(Math.floor(this.range[0] + (x - 34) / (this.plotWidth - 40) * (this.range[1] - this.range[0])), 0, this.count - 1); }

  canvas(canvas) {
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = Number(canvas.getAttribute("height-css") || canvas.getAttribute("height"));
    if (!canvas.hasAttribute("height-css")) canvas.setAttribute("height-css", height);
    canvas.style.height = `${height}px`;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.font = "10px system-ui, sans-serif";
    this.plotWidth = width;
    return [context, width, height];
  }

  drawPlots() {
    this.pending ||= requestAnimationFrame(() => {
      this.pending = 0;
      if (!this.pressure.clientWidth) return;
      this.drawPressure();
      this.drawMap();
    });
  }

  drawPressure() {
    const [c, width, height] = this.canvas(this.pressure);
    const bottom = height - 16, top = 10;
    const most = Math.max(this.live[this.peak] || 1, 8);
    const limitShown = this.grfs <= most * 2.2;
    const high = limitShown ? Math.max(this.grfs, most) : most * 1.1;
    const y = n => bottom - n / high * (bottom - top);
    const [from, to] = this.range;
    // Loops: a band a depth.
    c.fillStyle = css("--loop");
    for (const [first, last, depth] of this.loops) {
      if (last < from || first > to) continue;
      c.globalAlpha = 0.10;
      c.fillRect(this.x(first), top, Math.max(1, this.x(last + 1) - this.x(first)), bottom - top);
      c.globalAlpha = 0.8;
      c.fillRect(this.x(first), bottom + 1 + 3 * (Math.min(depth, 4) - 1), Math.max(1, this.x(last + 1) - this.x(first)), 2);
    }
    c.globalAlpha = 1;
    // The most and the least of each column of pixels.
    const fill = css("--live"), edge = css("--live-edge");
    for (let x = 34; x < width - 6; x++) {
      const a = Math.floor(from + (x - 34) / (width - 40) * (to - from));
      const b = Math.max(a + 1, Math.floor(from + (x - 33) / (width - 40) * (to - from)));
      let most = 0;
      for (let at = a; at < Math.min(b, this.count); at++) most = Math.max(most, this.live[at]);
      c.fillStyle = fill;
      c.fillRect(x, y(most), 1, bottom - y(most));
      c.fillStyle = edge;
      c.fillRect(x, y(most) - 1, 1, 2);
    }
    c.fillStyle = css("--spill");
    for (const { at } of this.scratch) if (at >= from && at < to) c.fillRect(this.x(at), top - 6, 1.5, 5);
    c.strokeStyle = css("--faint");
    c.fillStyle = css("--faint");
    c.textAlign = "right";
    const ticks = high > 100 ? 64 : high > 40 ? 32 : 8;
    for (let n = 0; n <= high; n += ticks) {
      c.globalAlpha = 0.3;
      c.fillRect(34, y(n), width - 40, 0.6);
      c.globalAlpha = 1;
      c.fillText(String(n), 30, y(n) + 3);
    }
    if (limitShown) {
      c.strokeStyle = css("--spill");
      c.setLineDash([4, 3]);
      c.beginPath(); c.moveTo(34, y(this.grfs)); c.lineTo(width - 6, y(this.grfs)); c.stroke();
      c.setLineDash([]);
    }
    const peak = this.peak;
    if (peak >= from && peak < to) {
      const px = this.x(peak + 0.5), py = y(this.live[peak]);
      c.fillStyle = css("--spill");
      c.beginPath(); c.arc(px, py, 3.5, 0, 7); c.fill();
      const text = `peak ${this.live[peak]} at ${number(peak)}`, wide = c.measureText(text).width;
      const left = px > width - 110 ? px - 8 - wide : px + 8, base = Math.max(py - 3, top + 8);
      c.fillStyle = css("--back");
      c.globalAlpha = 0.85;
      c.fillRect(left - 3, base - 9, wide + 6, 12);
      c.globalAlpha = 1;
      c.fillStyle = css("--spill");
      c.textAlign = "left";
      c.fillText(text, left, base);
    }
    c.fillStyle = css("--faint");
    c.textAlign = "left";
    c.fillText(number(from), 34, height - 2);
    c.textAlign = "right";
    c.fillText(number(to), width - 6, height - 2);
    this.cursor(c, top - 6, bottom);
  }

  mapStep() { return (Number(this.map.getAttribute("height-css")) - MAP_TOP - 2) / Math.max(1, this.mapRows.length); }
  mapRow(y) { return this.mapRows[Math.floor((y - MAP_TOP) / this.mapStep())]; }

  // The picture stays while the part of the code that it shows is the same.
  drawMap() {
    const [c, width, height] = this.canvas(this.map);
    const key = [...this.range, width, isDark(), this.marked, devicePixelRatio].join(" ");
    if (key !== this.mapKey) {
      this.mapKey = key;
      this.mapImage = $("canvas", { width: this.map.width, height: this.map.height });
      const image = this.mapImage.getContext("2d");
      image.scale(devicePixelRatio || 1, devicePixelRatio || 1);
      image.font = c.font;
      this.paintMap(image, width, height);
    }
    c.drawImage(this.mapImage, 0, 0, width, height);
    this.cursor(c, 0, height - 2);
  }

  paintMap(c, width, height) {
    const rows = this.mapRows, step = this.mapStep();
    const dark = isDark(), [from, to] = this.range, { spans } = this, text = css("--text");
    rows.forEach((row, n) => {
      const y = MAP_TOP + n * step, tall = Math.max(step - (step > 3 ? 0.6 : 0), 0.8);
      const { first, end } = this.rows.get(row);
      let low = first, high = end;
      while (low < high) { const middle = (low + high) >> 1; if (spans[6 * middle + 1] + spans[6 * middle + 2] < from) low = middle + 1; else high = middle; }
      let painted = -1;
      for (let k = 6 * low; k < 6 * end && spans[k + 1] <= to; k += 6) {
        const here = spans[k + 1], last = here + spans[k + 2], value = spans[k + 3];
        const a = Math.max(34, this.x(here)), b = Math.min(width - 6, this.x(last + 1));
        // Of several spans in a pixel one is enough.
        if (b - a < 1 && Math.floor(b) === painted && value !== this.marked) continue;
        painted = Math.floor(b);
        c.fillStyle = value === this.marked ? text : paint(value, dark);
        const goesOn = k + 6 < 6 * end && spans[k + 9] === value && spans[k + 7] <= last + 1;
        c.fillRect(a, y, Math.max(0.7, b - a - (b - a > 5 && !goesOn ? 0.8 : 0)), tall);
      }
    });
    c.fillStyle = css("--faint");
    c.textAlign = "right";
    const every = Math.max(1, Math.ceil(12 / step));
    for (let n = 0; n < rows.length; n += every) c.fillText(`r${rows[n]}`, 30, MAP_TOP + n * step + Math.min(step, 8));
  }

  cursor(c, top, bottom) {
    c.strokeStyle = css("--accent");
    const x = this.x(this.chosen + 0.5);
    if (x < 34 || x > this.plotWidth) return;
    c.beginPath(); c.moveTo(x, top); c.lineTo(x, bottom); c.stroke();
    if (this.drag) {
      c.globalAlpha = 0.2; c.fillStyle = css("--accent");
      c.fillRect(Math.min(...this.drag), top, Math.abs(this.drag[1] - this.drag[0]), bottom - top);
      c.globalAlpha = 1;
    }
  }

  listen(canvas) {
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      const at = this.range[0] + (event.offsetX - 34) / (this.plotWidth - 40) * (this.range[1] - this.range[0]);
      const factor = event.deltaY > 0 ? 1.25 : 0.8;
      this.zoom(at - (at - this.range[0]) * factor, at + (this.range[1] - at) * factor);
    }, { passive: false });
    canvas.addEventListener("mousedown", event => { this.drag = [event.offsetX, event.offsetX]; });
    canvas.addEventListener("mousemove", event => {
      if (this.drag) { this.drag[1] = event.offsetX; this.drawPlots(); return; }
      const at = this.atX(event.offsetX);
      let text = this.describe(at);
      if (canvas === this.map) {
        const row = this.mapRow(event.offsetY);
        const span = row === undefined ? null : this.spanAt(row, at);
        text = span ? `${this.nameOf(this.value(span.value))}\nlives from ${span.from} to ${span.to}; ${span.writes} writes, ${span.reads} reads` : `r${row ?? "?"} is free at ${at}`;
      } else text += `\n${this.text[at].trim()}`;
      showTip(event, text);
    });
    canvas.addEventListener("mouseleave", () => { hideTip(); this.drag = null; this.drawPlots(); });
    canvas.addEventListener("mouseup", event => {
      const drag = this.drag;
      this.drag = null;
      if (drag && Math.abs(drag[1] - drag[0]) > 5) this.zoom(this.atX(Math.min(...drag)), this.atX(Math.max(...drag)) + 1);
      else {
        const at = this.atX(event.offsetX);
        if (canvas === this.map) {
          const span = this.spanAt(this.mapRow(event.offsetY), at);
          this.marked = span ? span.value : undefined;
        }
        this.choose(at, true);
        this.page.chooseOthers(this, at);
      }
    });
    canvas.addEventListener("dblclick", () => this.zoom(0, this.count));
  }

  // The panes at the side.
  tab(name) {
    this.shown = name;
    for (const button of this.tabs.children) button.setAttribute("aria-selected", String(button.dataset.tab === name));
    this.tabShows[name]();
  }

  go(at) { return { class: "go", onclick: () => this.choose(at, true) }; }

  showHere() {
    const at = this.chosen, fact = (name, value) => $("tr", {}, $("td", { class: "k" }, name), $("td", {}, value));
    const table = $("table", {}, fact("number", `${at}, offset 0x${this.offsets[at].toString(16)}`), fact("live", `${this.live[at]} of ${this.grfs} GRFs`),
      fact("issue", `${this.issue[at]} cycles`));
    if (this.stall[at]) {
      table.append(fact("waits", `${this.stall[at]} cycles for ${CAUSES[this.cause[at]]}`));
      if (this.by[at] !== undefined) table.append($("tr", this.go(this.by[at]), $("td", { class: "k" }, "of"), $("td", {}, $("span", { class: "wait" }, String(this.by[at])), ` ${this.text[this.by[at]].trim().slice(0, 60)}`)));
    }
    for (const to of this.waits[at] || []) table.append($("tr", this.go(to), $("td", { class: "k" }, "annotation"), $("td", {}, $("span", { class: "wait" }, String(to)), ` ${this.text[to].trim().slice(0, 60)}`)));
    const access = this.scratchAt.get(at);
    if (access) table.append(fact(access.writes ? "spill" : "fill", `${access.bytes} bytes at ${access.offset}${access.name ? `, ${access.name}` : ""}`));
    if (this.counts) table.append(fact("executed", `${number(this.counts[at])} times`));
    const living = [];
    const seen = new Set();
    for (const row of this.mapRows) {
      const span = this.spanAt(row, at);
      if (span && !seen.has(span.value)) { seen.add(span.value); living.push(this.value(span.value)); }
    }
    const groups = this.grouped(living).sort((a, b) => b.rows.size - a.rows.size);
    this.pane.replaceChildren(table, this.valueTable(groups, `${groups.length} values live here`));
  }

  valueTable(values, title) {
    const body = $("tbody");
    const table = $("table", { class: "values" }, $("thead", {}, $("tr", {}, $("th", {}, title), $("th", { class: "num", title: "registers" }, "GRFs"), $("th", { class: "num", title: "registers times instructions in which they live" }, "cost"), $("th", { class: "num", title: "instructions that read it" }, "uses"))), body);
    for (const value of values.slice(0, 400)) {
      const swatch = $("span", { class: "swatch" });
      swatch.style.background = paint(value.number, isDark());
      body.append($("tr", { class: "go", title: `from ${value.from} to ${value.to}`, onclick: () => { this.marked = value.number; this.choose(value.from, true); } },
        $("td", {}, swatch, this.nameOf(value)), $("td", { class: "num" }, String(value.rows.size)), $("td", { class: "num" }, number(value.length)), $("td", { class: "num" }, String(value.reads))));
    }
    return table;
  }

  showValues() {
    const values = this.grouped(this.costly()).sort((a, b) => b.length - a.length);
    const spilled = this.scratch.length ? this.spillTable() : $("p", {}, "Nothing is spilled.");
    this.pane.replaceChildren(this.valueTable(values, "value"), spilled);
  }

  spillTable() {
    const slots = new Map();
    for (const { at, writes, offset, bytes, name } of this.scratch) {
      if (!slots.has(offset)) slots.set(offset, { offset, bytes, name, stores: 0, loads: 0, first: at, cost: 0 });
      const slot = slots.get(offset);
      if (writes) slot.stores++; else slot.loads++;
      slot.cost += this.weight[at];
    }
    const body = $("tbody");
    for (const slot of [...slots.values()].sort((a, b) => b.cost - a.cost).slice(0, 200)) {
      body.append($("tr", this.go(slot.first), $("td", {}, slot.name || `at ${slot.offset}`), $("td", { class: "num" }, String(slot.stores)), $("td", { class: "num" }, String(slot.loads)), $("td", { class: "num" }, number(slot.cost))));
    }
    return $("table", {}, $("thead", {}, $("tr", {}, $("th", {}, "spilled"), $("th", { class: "num" }, "stores"), $("th", { class: "num" }, "loads"), $("th", { class: "num" }, "weight"))), body);
  }

  showLoops() {
    const body = $("tbody");
    for (const [first, last, depth, text] of this.loops) {
      body.append($("tr", { class: "go", onclick: () => { this.zoom(first - 4, last + 5); this.choose(first, true); } },
        $("td", {}, `${" ".repeat(2 * depth - 2)}${first} – ${last}`), $("td", {}, text)));
    }
    this.pane.replaceChildren(this.loops.length ? $("table", {}, $("thead", {}, $("tr", {}, $("th", {}, "loop"), $("th", {}, "what takes its time"))), body) : $("p", {}, "There is no loop."));
  }

  showFlow() {
    const { graph } = this;
    if (!graph) { this.pane.replaceChildren($("p", {}, "The control flow has too many blocks to be drawn.")); return; }
    const most = Math.max(1, ...graph.nodes.map(node => node.live)), [width0, height0] = graph.block;
    const picture = svg("svg", { viewBox: `0 0 ${graph.width} ${graph.height}`, "aria-label": "control flow" });
    picture.append(svg("defs", {}, svg("marker", { id: `arrow${this.index}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" }, svg("path", { d: "M0 1L7 4L0 7", class: "" }))));
    for (const [path, back] of graph.edges) picture.append(svg("path", { d: path, class: back ? "back" : "", "marker-end": `url(#arrow${this.index})` }));
    this.nodes = [];
    for (const { first, end, x, y, live, loops } of graph.nodes) {
      const shade = svg("rect", { x, y, width: width0, height: height0, rx: 4, fill: `color-mix(in srgb, ${css("--live")} ${Math.round(90 * live / most)}%, ${css("--panel")})` });
      if (loops) { shade.style.stroke = css("--loop"); shade.style.strokeWidth = 1 + loops; }
      const node = svg("g", { class: "node" }, shade, svg("text", { x: x + 6, y: y + 14 }, `${first}–${end - 1}`), svg("text", { x: x + 6, y: y + 27 }, `${live} GRFs`));
      node.addEventListener("click", event => { event.stopPropagation(); this.choose(first, true); });
      this.nodes.push([first, end, node]);
      picture.append(node);
    }
    let box = [0, 0, graph.width, graph.height];
    const width = this.pane.clientWidth || 300, height = this.pane.clientHeight || 400;
    const scale = Math.max(graph.width / width, 0.8);
    box = [Math.max(0, (graph.width - width * scale) / 2), 0, width * scale, height * scale];
    const set = () => picture.setAttribute("viewBox", box.join(" "));
    set();
    picture.addEventListener("wheel", event => {
      event.preventDefault();
      const factor = event.deltaY > 0 ? 1.2 : 1 / 1.2, px = event.offsetX / width, py = event.offsetY / height;
      box = [box[0] + box[2] * px * (1 - factor), box[1] + box[3] * py * (1 - factor), box[2] * factor, box[3] * factor];
      set();
    }, { passive: false });
    let drag = null;
    picture.addEventListener("mousedown", event => { drag = [event.clientX, event.clientY, ...box]; });
    picture.addEventListener("mousemove", event => {
      if (!drag || !event.buttons) { drag = null; return; }
      box[0] = drag[2] - (event.clientX - drag[0]) * box[2] / width;
      box[1] = drag[3] - (event.clientY - drag[1]) * box[3] / height;
      set();
    });
    this.pane.replaceChildren(picture);
    this.markFlow = () => {
      this.nodes.forEach(([first, end, node], n) => {
        const here = this.chosen >= first && this.chosen < end, { x, y } = graph.nodes[n];
        node.classList.toggle("chosen", here);
        const inside = x >= box[0] && y >= box[1] && x + width0 <= box[0] + box[2] && y + height0 <= box[1] + box[3];
        if (!here || inside) return;
        box[0] = x + width0 / 2 - box[2] / 2;
        box[1] = y + height0 / 2 - box[3] / 2;
        set();
      });
    };
    this.markFlow();
  }

  markFlow() {}
}

class Page {
  constructor(all) {
    this.all = all;
    this.picked = all.inputs.map(() => 0);
    this.found = new Map();
    document.getElementById("title").textContent = all.title;
    document.title = all.title;
    if (matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.classList.add("dark");
    const choices = document.getElementById("choices");
    all.inputs.forEach((input, n) => {
      if (input.length < 2) return;
      const select = $("select", { "aria-label": "kernel", onchange: () => { this.picked[n] = select.selectedIndex; this.show(); } },
        ...input.map(piece => $("option", {}, piece.name)));
      choices.append(select);
    });
    this.search = document.getElementById("search");
    this.search.addEventListener("input", () => this.seek());
    this.search.addEventListener("keydown", event => {
      if (event.key === "Enter") this.nextHit(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") { this.search.value = ""; this.seek(); this.search.blur(); }
    });
    document.getElementById("theme").addEventListener("click", () => this.theme());
    document.getElementById("help").addEventListener("click", () => document.getElementById("keys").showModal());
    document.addEventListener("keydown", event => this.key(event));
    this.show();
  }

  show() {
    this.data = this.all.inputs.map((input, n) => input[this.picked[n]]);
    const main = document.getElementById("builds");
    main.replaceChildren();
    main.classList.toggle("pair", this.data.length > 1);
    this.builds = this.data.map((data, n) => new Build(data, this, n));
    for (const build of this.builds) main.append(build.element);
    for (const build of this.builds) build.start();
    this.activate(this.builds[0]);
    this.seek();
  }

  activate(build) {
    this.active = build;
    for (const other of this.builds) other.element.classList.toggle("active", this.builds.length > 1 && other === build);
  }

  // The same line of the source, or else of vISA, in the other build.
  counterpart(build, other, at) {
    for (const [key, links] of [["ofLine", "linkLine"], ["ofVisa", "linkVisa"]]) {
      const to = build[key] ? build[key][at] : -1;
      const there = to >= 0 ? other[links].get(to) : null;
      if (there) return there;
    }
    return null;
  }

  linkOthers(build, related) {
    for (const other of this.builds) {
      if (other === build || related.at === undefined) continue;
      const there = this.counterpart(build, other, related.at);
      const set = new Set(there || []);
      other.linked = { code: set, visa: new Set(), source: new Set() };
      for (const [at, row] of other.lists.code.rows) row.classList.toggle("linked", set.has(at));
    }
  }

  chooseOthers(build, at) {
    for (const other of this.builds) {
      if (other === build) continue;
      const there = this.counterpart(build, other, at);
      if (there) other.choose(there[0], true);
    }
  }

  hits(build) { return this.found.get(build) || new Set(); }

  seek() {
    const wanted = this.search.value.toLowerCase();
    this.found = new Map();
    let count = 0;
    for (const build of this.builds) {
      const hits = new Set();
      if (wanted.length > 1) build.text.forEach((line, at) => { if (line.toLowerCase().includes(wanted)) hits.add(at); });
      if (wanted.length > 1 && build.visa) build.visa.forEach((line, visa) => {
        if (line.toLowerCase().includes(wanted)) for (const at of build.linkVisa.get(visa) || []) hits.add(at);
      });
      count += hits.size;
      this.found.set(build, hits);
      for (const [at, row] of build.lists.code.rows) build.mark(row, at);
    }
    document.getElementById("found").textContent = wanted.length > 1 ? `${number(count)} found` : "";
  }

  nextHit(step) { this.jump([...this.hits(this.active)].sort((a, b) => a - b), step); }

  jump(places, step = 1) {
    const build = this.active;
    const ahead = step > 0 ? places.find(at => at > build.chosen) : places.findLast(at => at < build.chosen);
    const to = ahead ?? (step > 0 ? places[0] : places[places.length - 1]);
    if (to !== undefined) build.choose(to, true);
  }

  theme() {
    document.documentElement.classList.toggle("dark");
    for (const build of this.builds) { build.drawPlots(); build.tab(build.shown); }
  }

  key(event) {
    if (event.target.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const build = this.active, [from, to] = build.range, middle = clamp(build.chosen, from, to);
    const keys = {
      "/": () => this.search.focus(),
      "j": () => build.choose(build.chosen + 1), "k": () => build.choose(build.chosen - 1),
      "ArrowDown": () => build.choose(build.chosen + 1), "ArrowUp": () => build.choose(build.chosen - 1),
      "p": () => build.choose(build.peak, true),
      "w": () => build.choose(build.by[build.chosen] ?? (build.waits[build.chosen] || [])[0], true),
      "+": () => build.zoom(middle - (middle - from) / 2, middle + (to - middle) / 2),
      "=": () => build.zoom(middle - (middle - from) / 2, middle + (to - middle) / 2),
      "-": () => build.zoom(middle - (middle - from) * 2, middle + (to - middle) * 2),
      "0": () => build.zoom(0, build.count),
      "l": () => this.jump(build.loops.map(([first]) => first)),
      "s": () => this.jump(build.scratch.map(({ at }) => at)),
      "t": () => this.theme(),
      "?": () => document.getElementById("keys").showModal(),
      "Tab": () => this.builds.length > 1 && this.activate(this.builds[(build.index + 1) % this.builds.length]),
    };
    hideTip();
    const act = keys[event.key];
    if (!act || (event.key === "Tab" && this.builds.length < 2)) return;
    event.preventDefault();
    act();
  }
}

// Data are JSON, packed by DEFLATE and base64.
async function unpacked(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let n = 0; n < bytes.length; n++) bytes[n] = letters.charCodeAt(n);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}

unpacked(document.getElementById("data").textContent).then(data => { window.page = new Page(data); });
