// load_in_speedscope.js RELEASE FILE: loads a profile with the bundle of an installed speedscope, in a window that draws nothing. Prints what
// speedscope says, then a line of JSON: the title that it gives the page when it has loaded the profile, and its alerts.
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [release, file] = process.argv.slice(2);
const bundle = fs.readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name));
const alerts = [];
let title = "";

// Whatever goes wrong with drawing is no matter here.
process.on("uncaughtException", () => {});
process.on("unhandledRejection", () => {});

class Node {
  constructor() {
    Object.assign(this, { childNodes: [], attributes: [], style: {}, firstChild: null, nextSibling: null, parentNode: null });
    this.classList = { add() {}, remove() {} };
    this.sheet = { insertRule() {}, cssRules: [] };
  }
  insertBefore(node) {
    node.parentNode = this;
    this.childNodes.push(node);
    return node;
  }
  appendChild(node) {
    return this.insertBefore(node);
  }
  removeChild(node) {
    this.childNodes = this.childNodes.filter((other) => other !== node);
  }
  getBoundingClientRect() {
    return { left: 0, top: 0, right: 800, bottom: 600, width: 800, height: 600 };
  }
  contains() {
    return false;
  }
  remove() {}
  setAttribute() {}
  removeAttribute() {}
  addEventListener() {}
  removeEventListener() {}
  focus() {}
  blur() {}
}

class HTMLCanvasElement extends Node {
  getContext() {
    return null;
  }
}

const createElement = (kind) => (kind === "canvas" ? new HTMLCanvasElement() : new Node());
const document = {
  body: new Node(),
  head: new Node(),
  documentElement: new Node(),
  fonts: { ready: Promise.resolve() },
  createElement,
  createElementNS: (namespace, kind) => createElement(kind),
  createTextNode: () => new Node(),
  querySelector: () => null,
  querySelectorAll: () => [],
  getElementsByTagName: () => [],
  getElementById: () => null,
  addEventListener() {},
  removeEventListener() {},
  get title() {
    return title;
  },
  set title(text) {
    title = text;
  },
};
const storage = { getItem: () => null, setItem() {} };
const window = {
  document,
  location: { protocol: "file:", hash: "#localProfilePath=profile", search: "", href: "file:///" },
  navigator: { userAgent: "", platform: "" },
  localStorage: storage,
  sessionStorage: storage,
  devicePixelRatio: 1,
  addEventListener() {},
  removeEventListener() {},
  alert: (text) => alerts.push(text),
  matchMedia: () => ({ matches: false, addListener() {}, addEventListener() {} }),
  getComputedStyle: () => ({}),
  requestAnimationFrame: (draw) => setTimeout(draw, 0),
  cancelAnimationFrame: clearTimeout,
  HTMLElement: Node,
  HTMLInputElement: class {},
  Element: Node,
  Image: Node,
  FileReader: class {},
  ...{ Node, HTMLCanvasElement, File, Blob, URL, TextDecoder, TextEncoder, performance, console, atob, btoa, queueMicrotask },
  ...{ setTimeout, clearTimeout, setInterval, clearInterval },
};
window.window = window.self = window.globalThis = window;
vm.createContext(window);
vm.runInContext(fs.readFileSync(path.join(release, bundle), "utf-8"), window);

const load = () =>
  window.speedscope
    ? window.speedscope.loadFileFromBase64(path.basename(file), fs.readFileSync(file).toString("base64"))
    : setTimeout(load, 10);
const answer = (tries) => {
  if (!title && !alerts.length && tries > 0) return setTimeout(answer, 20, tries - 1);
  console.log(JSON.stringify({ title, alerts }));
  process.exit();
};
load();
answer(500);
