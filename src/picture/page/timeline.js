/* timeline.js: draws what quipu/view.h answers. A page that is served asks the server; a section of a report has its answers with it.
   Times are nanoseconds since the first event of the trace. */

/* ---- Small helpers ---- */

const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
        else if (value === true) made.setAttribute(key, '');
        else if (value !== false && value !== null) made.setAttribute(key, value);
    }
    made.append(...children.filter(child => child !== null));
    return made;
};
const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

/* Names come from traces: what is invisible, or turns text around, is shown as a number. */
const visible = name => name.replace(/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

const UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
const unitOf = ns => UNITS.find(([size]) => Math.abs(ns) >= size) || UNITS[3];
const duration = ns => {
    const [size, unit] = unitOf(ns);
    return `${size === 1 ? Math.round(ns) : (ns / size).toPrecision(4)} ${unit}`;
};
/* A point in time with as many digits as tell points apart that are so far from each other. */
const point = (ns, apart) => {
    if (ns === 0) return '0 s';
    const [size, unit] = unitOf(Math.max(Math.abs(ns), apart));
    const digits = clamp(Math.ceil(Math.log10(size / Math.max(apart, 1))) + 1, 0, 9);
    return `${(ns / size).toFixed(size === 1 ? 0 : digits)} ${unit}`;
};
const bytesText = bytes => {
    for (const [size, unit] of [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']])
        if (bytes >= size) return `${(bytes / size).toPrecision(3)} ${unit}`;
    return `${bytes} B`;
};

/* ---- Colours: those of the figures. A region has the hue of its role and a tone by its name. ---- */

const HUES = {
    'function': 'useful', 'task': 'useful', 'user': 'useful', 'mpi-p2p': 'p2p', 'mpi-collective': 'collective', 'mpi-rma': 'rma',
    'mpi-io': 'io', 'io': 'io', 'mpi': 'runtime', 'runtime': 'runtime', 'sync': 'sync', 'idle': 'idle',
};
const USES = [
    ['useful', 'useful-0', 'computing'], ['mpi_p2p', 'p2p-0', 'point-to-point'], ['mpi_collective', 'collective-0', 'collective'],
    ['mpi_rma', 'rma-0', 'one-sided'], ['mpi_other', 'runtime-1', 'other MPI'], ['mpi_io', 'io-2', 'parallel I/O'], ['io', 'io-0', 'I/O'],
    ['sync', 'sync-0', 'synchronisation'], ['runtime', 'runtime-2', 'runtime system'], ['idle', 'idle-0', 'idle'],
];
const toneOf = name => {
    let hash = 2166136261;
    for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 16777619) >>> 0;
    return ((hash ^ hash >>> 15) >>> 0) % 4;
};
class Colours {
    constructor() {
        this.style = getComputedStyle(document.documentElement);
        this.known = new Map();
        this.packed = USES.map(([, variable]) => Colours.pack(this.of(variable)));
        this.faint = Colours.pack(this.mixed('useful-0', 'paper', 0.14));
    }
    of(variable) {
        if (!this.known.has(variable)) this.known.set(variable, this.style.getPropertyValue(`--${variable}`).trim() || '#888888');
        return this.known.get(variable);
    }
    region(name, role) { return this.of(`${HUES[role] || 'useful'}-${toneOf(name)}`); }
    mixed(one, other, share) {
        const [first, second] = [one, other].map(name => Colours.rgb(this.of(name)));
        return `#${first.map((part, i) => Math.round(part * share + second[i] * (1 - share)).toString(16).padStart(2, '0')).join('')}`;
    }
    static rgb(hex) { return [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16)); }
    static pack(hex) {
        const [red, green, blue] = Colours.rgb(hex);
        return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
    }
    /* Black or white, whichever is easier to read on it. */
    static on(hex) {
        const [red, green, blue] = Colours.rgb(hex).map(part => (part / 255) ** 2.2);
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? '#000000' : '#ffffff';
    }
}

/* ---- Where answers come from ---- */

class Served {
    constructor() { this.busy = 0; this.changed = () => {}; }
    get isWhole() { return false; }
    async get(path) {
        this.busy++;
        this.changed();
        try {
            const reply = await fetch(path, { credentials: 'same-origin' });
            if (!reply.ok) throw new Error((await reply.text()).trim() || reply.statusText);
            return await reply.json();
        } finally {
            this.busy--;
            this.changed();
        }
    }
    traces() { return this.get('traces').then(answer => answer.count); }
    ask(trace, question) { return this.get(`ask/${trace}/${question}`); }
}

/* The answers of a report: {"answers": {question: answer}, "windows": [{"from", "to", "title"}], "path"}. */
class Embedded {
    constructor(data) { this.data = data; this.busy = 0; }
    get isWhole() { return true; }
    async traces() { return 1; }
    async ask(trace, question) {
        const answer = this.data.answers[question];
        if (!answer) throw new Error('this is not in the report');
        return answer;
    }
}

/* ---- Answers that are kept ---- */

const DIGITS = new Uint8Array(128);
[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].forEach((letter, value) => { DIGITS[letter.charCodeAt(0)] = value; });
const decodeShares = text => text ? Uint8Array.from(text, letter => DIGITS[letter.charCodeAt(0)]) : null;
const decodeRuns = (runs, count) => {
    const numbers = new Uint32Array(count);
    for (let i = 0, at = 0; i < runs.length; i += 2) {
        numbers.fill(runs[i], at, at + runs[i + 1]);
        at += runs[i + 1];
    }
    return numbers;
};

const TILE = 200, BATCH = 32, KEPT = 4000;

class Store {
    constructor(source, trace, redraw, say) {
        Object.assign(this, { source, trace, redraw, say, tiles: new Map(), names: new Map(), windows: {}, where: '', failed: new Set() });
    }
    ask(question) {
        return this.source.ask(this.trace, question).then(answer => {
            this.takeNames(answer);
            return answer;
        });
    }
    name(region) { return this.names.get(region) || { name: region < 0 ? 'a call' : `region ${region}`, raw: '', role: 'function' }; }
    tile(by, row, level, at) { return this.tiles.get(`${by}:${row}:${level}:${at}`); }

    /* Asks for tiles of rows that are not there, many rows at a time. */
    wantTiles(by, rows, level, at) {
        const missing = rows.filter(row => !this.tiles.has(`${by}:${row}:${level}:${at}`)).sort((a, b) => a - b);
        for (let first = 0; first < missing.length; first += BATCH) this.loadTiles(by, missing.slice(first, first + BATCH), level, at);
    }
    async loadTiles(by, rows, level, at) {
        if (this.source.isWhole) { this.takeEmbedded(by, level, at); return; }
        const where = this.where, key = row => `${by}:${row}:${level}:${at}`;
        rows.forEach(row => this.tiles.set(key(row), null));
        try {
            const answer = await this.ask(tileQuestion(by, level, at, rows, where));
            if (where !== this.where) return;
            for (const row of rows) this.tiles.set(key(row), { bins: answer.bins, first: answer.first, count: answer.count, uses: [] });
            for (const row of answer.rows) this.tiles.set(key(row.row), decodeTile(answer, row));
            if (this.tiles.size > KEPT) this.forget(level);
        } catch (error) {
            if (where && where === this.where) this.say(error.message, true);
        }
        this.redraw();
    }
    takeEmbedded(by, level, at) {
        const begin = `tile?by=${by}&level=${level}&index=${at}&rows=`;
        for (const [question, answer] of Object.entries(this.source.data.answers)) {
            if (!question.startsWith(begin)) continue;
            this.takeNames(answer);
            for (const row of answer.rows) this.tiles.set(`${by}:${row.row}:${level}:${at}`, decodeTile(answer, row));
        }
    }
    takeNames(answer) {
        for (const [number, [name, role]] of Object.entries(answer?.names || {})) this.names.set(+number, { name: visible(name), raw: name, role });
    }
    forget(level) {
        for (const [key, tile] of this.tiles) {
            if (this.tiles.size < KEPT * 0.7) return;
            if (tile && +key.split(':')[2] !== level && +key.split(':')[2] > 1) this.tiles.delete(key);
        }
    }
    setWhere(where) {
        this.where = where;
        this.tiles.clear();
        this.windows = {};
    }

    /* What lies in a window, for a list of rows. The last few answers of each kind are kept; one serves if it covers the view. */
    window(kind, from, to, rows, extra, resolution) {
        const list = this.windows[kind] ||= [];
        const key = `${rows.join()}|${extra}`;
        const isFine = entry => !entry.answer || entry.isExact || entry.resolution <= resolution * 1.6 || entry.to - entry.from <= (to - from) * 2.1;
        const good = list.find(entry => entry.key === key && entry.from <= from && entry.to >= to && isFine(entry));
        if (good) return good.answer;
        if (!rows.length) return null;
        const older = list.find(entry => entry.key === key && entry.answer && entry.from < to && entry.to > from);
        if (!list.some(entry => !entry.answer && !entry.failed)) this.loadWindow(list, key, kind, from, to, rows, extra);
        return older ? older.answer : null;
    }
    async loadWindow(list, key, kind, from, to, rows, extra) {
        const part = (to - from) / 2, wideFrom = Math.max(0, Math.floor(from - part)), wideTo = Math.ceil(to + part);
        const entry = { key, from: wideFrom, to: wideTo, answer: null, resolution: 0, isExact: false };
        list.unshift(entry);
        list.length = Math.min(list.length, 8);
        try {
            entry.answer = await this.ask(`${kind}?from=${wideFrom}&to=${wideTo}&rows=${rangesOf(rows)}${extra}`);
            entry.resolution = entry.answer.resolution || entry.answer.pixel || 0;
            /* Where each bar is a call, the answer holds for every part of the window. */
            entry.isExact = kind === 'calls' && entry.answer.rows.every(row => row.calls.every((count, i) => i % 6 !== 4 || count < 2));
            if (entry.answer.is_too_much) entry.failed = true;
        } catch (error) {
            entry.failed = true;
            this.say(error.message, true);
        }
        this.redraw();
    }
    /* The shortest window of a report that the view lies in. */
    embedded(kind, from, to) {
        const [found] = this.source.data.windows.filter(window => window.from <= from && window.to >= to && this.source.data.answers[window[kind]])
            .sort((a, b) => (a.to - a.from) - (b.to - b.from));
        const answer = found && this.source.data.answers[found[kind]];
        this.takeNames(answer);
        return answer || null;
    }
}

/* Ascending numbers as 0-3,7. */
const rangesOf = rows => {
    const parts = [];
    for (let i = 0; i < rows.length;) {
        let end = i;
        while (end + 1 < rows.length && rows[end + 1] === rows[end] + 1) end++;
        parts.push(end > i ? `${rows[i]}-${rows[end]}` : `${rows[i]}`);
        i = end + 1;
    }
    return parts.join(',');
};
const tileQuestion = (by, level, at, rows, where) =>
    `tile?by=${by}&level=${level}&index=${at}&rows=${rangesOf(rows)}${where ? `&where=${encodeURIComponent(where)}` : ''}`;
const decodeTile = (answer, row) => ({
    bins: answer.bins, first: answer.first, count: answer.count,
    uses: USES.map(([name]) => decodeShares(row.shares[name])),
    regionShare: decodeShares(row.region_share), region: decodeRuns(row.region, answer.count),
    calls: decodeRuns(row.calls, answer.count), messages: decodeRuns(row.messages, answer.count),
});

/* ---- The rows: hosts, processes, locations, as far as they are unfolded ---- */

class Rows {
    constructor(store, redraw) { Object.assign(this, { store, redraw, root: { key: '', depth: -1, children: [], total: 0, isOpen: true }, flat: [], place: new Map() }); }
    async load(node, first) {
        const answer = await this.store.ask(`rows?of=${encodeURIComponent(node.key)}&first=${first}&count=1000`);
        if (!node.children.length) {
            node.total = answer.total;
            node.children = Array.from({ length: answer.total }, () => null);
        }
        answer.rows.forEach(([by, number, name, count], i) => {
            node.children[first + i] = { by, number, name: visible(name), count, key: `${by}:${number}`, depth: node.depth + 1, parent: node, children: [], total: 0, isOpen: false };
        });
        node.pending?.delete(first);
    }
    /* Unfolded as long as few rows come out of it. */
    async begin(counts) {
        await this.load(this.root, 0);
        const open = async node => {
            for (const child of node.children)
                if (child?.count > 0 && counts[child.by === 'host' ? 'process' : 'location'] <= 64) {
                    await this.open(child);
                    await open(child);
                }
        };
        await open(this.root);
        this.flatten();
    }
    async open(node) {
        if (!node.children.length) await this.load(node, 0);
        node.isOpen = true;
    }
    flatten() {
        this.flat = [];
        this.place = new Map();
        const walk = node => node.children.forEach((child, i) => {
            this.flat.push(child || { parent: node, index: i, isUnknown: true, depth: node.depth + 1, name: '…' });
            if (!child) return;
            this.place.set(`${child.by}:${child.number}`, this.flat.length - 1);
            if (child.isOpen) walk(child);
        });
        walk(this.root);
    }
    /* Names of rows that have come into sight. */
    want(node) {
        const first = Math.floor(node.index / 1000) * 1000, parent = node.parent;
        parent.pending ||= new Set();
        if (parent.pending.has(first)) return;
        parent.pending.add(first);
        this.load(parent, first).then(() => { this.flatten(); this.redraw(); });
    }
    async toggle(node) {
        if (node.isOpen) node.isOpen = false;
        else await this.open(node);
        this.flatten();
        this.redraw();
    }
    async reveal(host, process, location) {
        for (const key of [`host:${host}`, `process:${process}`]) {
            const at = this.place.get(key);
            if (at !== undefined && this.flat[at].count > 0 && !this.flat[at].isOpen) {
                await this.open(this.flat[at]);
                this.flatten();
            }
        }
        return this.place.get(`location:${location}`) ?? this.place.get(`process:${process}`) ?? this.place.get(`host:${host}`);
    }
    of(location) { return this.place.get(`location:${location}`); }
}

/* ---- The timeline ---- */

const HEAD = 58, OVERVIEW = 26, CALLS_MOST = 200000, MESSAGES_MOST = 400000;

class Timeline {
    constructor(root, source) {
        this.root = root;
        this.source = source;
        this.layers = { messages: true, waits: false, path: false };
        this.from = 0; this.to = 1; this.top = 0; this.height = 24; this.focus = 0;
        this.isFitted = true; this.metric = -1; this.selection = null; this.chosen = null; this.trace = 0;
        this.build();
        source.changed = () => { this.busy.hidden = this.source.busy === 0; if (this.source.busy === 0) this.prepare(); };
        const recolour = () => { this.colours = new Colours(); this.showLegend(); this.redraw(); };
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour);
        new MutationObserver(recolour).observe(document.documentElement, { attributeFilter: ['data-theme'] });
        this.colours = new Colours();
        this.present = new Set();
        this.seenHeight = 0;
        new ResizeObserver(() => this.resized()).observe(this.plot);
    }

    /* -- The page -- */

    build() {
        const press = (text, title, action) => element('button', { type: 'button', title, 'aria-label': title, onclick: action }, text);
        const layer = (name, text, title) => element('button', { type: 'button', title, 'aria-pressed': String(this.layers[name]), 'data-layer': name, onclick: () => this.toggleLayer(name) }, text);
        this.title = element('span', { class: 'name' });
        this.chooser = element('select', { 'aria-label': 'trace', hidden: true, onchange: () => this.open(+this.chooser.value) });
        this.search = element('input', { type: 'search', placeholder: 'search  /', 'aria-label': 'search regions and locations', oninput: () => this.find(), onkeydown: event => this.searchKey(event) });
        this.found = element('ul', { hidden: true });
        this.where = element('input', { placeholder: 'only where…', 'aria-label': 'expression that selects events, as of --where', title: "an expression, such as region ~ 'MPI' or rank in 0-3", onchange: () => this.setWhere(this.where.value.trim()) });
        this.counter = element('select', { 'aria-label': 'counter', onchange: () => { this.metric = +this.counter.value; this.moved(); } });
        this.help = this.helpDialog();
        this.bar = element('div', { class: 'timeline-bar' }, this.title, this.chooser,
            press('−', 'zoom out', () => this.zoom(2)), press('+', 'zoom in', () => this.zoom(0.5)), press('whole', 'show the whole run', () => this.show(0, this.length)),
            this.places = element('select', { 'aria-label': 'windows with single calls', hidden: true, onchange: () => this.showPlace() }), press('▤', 'taller rows', () => this.setHeight(1.4)), press('≡', 'lower rows', () => this.setHeight(1 / 1.4)), element('span', { class: 'gap' }),
            layer('messages', 'messages', 'lines from sends to receives'), layer('waits', 'waits', 'who waits: found once, by reading everything'),
            layer('path', 'critical path', 'what the run time consists of: found once, by reading everything'), this.counter, this.where,
            element('span', { class: 'timeline-found' }, this.search, this.found), press('?', 'keys and how to read the picture', () => this.help.showModal()));
        this.corner = element('div', { class: 'timeline-corner' });
        this.head = element('canvas', { 'aria-hidden': 'true' });
        this.names = element('div', { class: 'timeline-rows', role: 'list', 'aria-label': 'rows' });
        this.canvas = element('canvas', { tabindex: '0', role: 'application', 'aria-label': 'timeline: arrow keys move, plus and minus zoom, Enter shows the call in the middle of the row' });
        this.tip = element('div', { class: 'timeline-tip', hidden: true });
        this.busy = element('div', { class: 'timeline-busy', hidden: true }, 'reading…');
        this.plot = element('div', { class: 'timeline-plot' }, this.canvas, this.tip, this.busy);
        this.side = element('aside', { class: 'timeline-side', 'aria-label': 'details', hidden: true });
        this.legend = element('div', { class: 'timeline-foot' });
        this.status = element('div', { class: 'timeline-hidden', role: 'status', 'aria-live': 'polite' });
        this.headBox = element('div', { class: 'timeline-head', title: 'drag to select a part of the time' }, this.head);
        this.root.replaceChildren(this.bar, this.corner, this.headBox, this.names, this.plot, this.side, this.legend, this.status, this.help);
        this.listen();
    }
    helpDialog() {
        const line = (keys, text) => element('p', {}, ...keys.flatMap(key => [element('kbd', {}, key), ' ']), text);
        const close = element('form', { method: 'dialog' }, element('button', {}, 'close'));
        return element('dialog', { 'aria-label': 'help' }, element('h2', {}, 'Keys'),
            line(['←', '→'], 'move in time'), line(['↑', '↓'], 'move to another row'), line(['+', '−', 'w', 's'], 'zoom; also with the wheel and Ctrl'),
            line(['0'], 'the whole run'), line(['Enter'], 'the call in the middle of the row'), line(['Space'], 'unfold or fold the row'), line(['f'], 'zoom to what is selected'),
            line(['/'], 'search'), line(['n'], 'the next call of the same region'), line(['m', 't', 'p'], 'messages, waits, critical path'), line(['Esc'], 'select nothing'),
            element('h2', {}, 'How to read it'),
            element('p', {}, 'Zoomed out, a pixel is many calls: the height of a colour is its share of the pixel’s time, white is time outside of the location’s life. Zoomed in, each bar is a call, those that it makes lie below it. A pale bar stands for several calls that are shorter than a pixel. Drag on the ruler to select a part of the time: its profile is that of quipu profile.'),
            close);
    }
    showLegend() {
        const dot = (colour, text) => element('span', {}, Object.assign(element('i'), { style: `background: ${colour}` }), text);
        const swatch = (colour, text) => { const made = dot('', text); made.firstChild.style.background = colour; return made; };
        this.legend.replaceChildren(...USES.filter(([name]) => this.present.has(name)).map(([, variable, text]) => swatch(this.colours.of(variable), text)), this.honest ||= element('span', { class: 'honest' }));
    }
    say(text, isBad = false) {
        this.status.textContent = text;
        this.trouble = isBad ? text : '';
        this.where.classList.toggle('bad', isBad && this.store.where !== '');
    }

    /* -- Opening -- */

    async begin() {
        const state = new URLSearchParams(location.hash.slice(1));
        const count = await this.source.traces();
        await this.open(clamp(+(state.get('trace') || 0), 0, count - 1), state);
        if (count < 2) return;
        this.chooser.hidden = false;
        this.title.hidden = true;
        for (let i = 0; i < count; i++) {
            const { name } = i === this.trace ? this.about : await this.source.ask(i, 'trace');
            this.chooser.append(element('option', { value: i }, visible(name)));
        }
        this.chooser.value = this.trace;
    }
    async open(trace, state = new URLSearchParams()) {
        this.trace = trace;
        this.store = new Store(this.source, trace, () => this.redraw(), (text, isBad) => this.say(text, isBad));
        this.rows = new Rows(this.store, () => this.redraw());
        this.present = new Set();
        this.showLegend();
        this.about = await this.store.ask('trace');
        this.length = Math.max(this.about.length, 1);
        this.origin = BigInt(this.about.begin);
        this.title.textContent = visible(this.about.name);
        this.title.title = `${this.about.format}, ${this.about.counts.location} locations`;
        this.counter.replaceChildren(element('option', { value: -1 }, 'no counter'), ...this.about.metrics.map((metric, i) => element('option', { value: i }, visible(metric.name) + (metric.unit ? ` (${visible(metric.unit)})` : ''))));
        this.counter.hidden = this.about.metrics.length === 0 || this.source.isWhole;
        this.where.hidden = this.search.parentNode.hidden = this.source.isWhole;
        this.listPlaces();
        await this.rows.begin(this.about.counts);
        this.selection = this.chosen = null;
        if (this.source.isWhole) this.root.style.height = `${Math.min(this.root.clientHeight, this.root.clientHeight - this.plot.clientHeight + this.rows.flat.length * 64)}px`;
        await this.take(state);
        this.redraw();
    }
    /* The windows of a report. */
    listPlaces() {
        this.places.hidden = !this.source.isWhole || this.source.data.windows.length === 0;
        if (!this.places.hidden) this.places.replaceChildren(element('option', { value: '' }, 'single calls of…'), ...this.source.data.windows.map((window, i) => element('option', { value: i }, window.title)));
    }
    showPlace() {
        const window = this.source.data.windows[this.places.value];
        if (window) this.show(window.from, window.to);
    }
    /* A link's view: the part behind #, which never reaches the server. */
    async take(state) {
        this.from = clamp(+(state.get('from') || 0), 0, this.length);
        this.to = clamp(+(state.get('to') || this.length), this.from + 1, Math.max(this.length, this.from + 1));
        for (const key of (state.get('open') || '').split(',').filter(Boolean)) {
            const at = this.rows.place.get(key);
            if (at !== undefined && !this.rows.flat[at].isOpen) await this.rows.toggle(this.rows.flat[at]);
        }
        for (const key of (state.get('closed') || '').split(',').filter(Boolean)) {
            const at = this.rows.place.get(key);
            if (at !== undefined && this.rows.flat[at].isOpen) await this.rows.toggle(this.rows.flat[at]);
        }
        this.isFitted = !state.has('height');
        if (!this.isFitted) this.height = clamp(+state.get('height'), 8, 200);
        this.top = +(state.get('top') || 0);
        if (state.has('layers')) for (const name of Object.keys(this.layers)) this.setLayer(name, state.get('layers').split(',').includes(name));
        this.metric = +(state.get('metric') ?? -1);
        this.counter.value = this.metric;
        this.where.value = state.get('where') || '';
        this.store.setWhere(this.where.value);
        const [from, to] = (state.get('select') || '').split('-').map(Number);
        if (to > from) this.select(from, to);
    }
    link() {
        const state = new URLSearchParams();
        if (this.trace) state.set('trace', this.trace);
        state.set('from', Math.floor(this.from));
        state.set('to', Math.ceil(this.to));
        if (this.top) state.set('top', Math.round(this.top));
        if (!this.isFitted) state.set('height', Math.round(this.height));
        const opened = this.rows.flat.filter(node => node.isOpen).map(node => node.key), closed = this.rows.flat.filter(node => node.count > 0 && !node.isOpen && this.about.counts.location <= 64).map(node => node.key);
        if (opened.length && opened.length < 50) state.set('open', opened.join());
        if (closed.length && closed.length < 50) state.set('closed', closed.join());
        state.set('layers', Object.keys(this.layers).filter(name => this.layers[name]).join());
        if (this.metric >= 0) state.set('metric', this.metric);
        if (this.store.where) state.set('where', this.store.where);
        if (this.selection) state.set('select', `${Math.round(this.selection.from)}-${Math.round(this.selection.to)}`);
        return `#${state}`;
    }

    /* -- Moving -- */

    get width() { return this.plot.clientWidth; }
    /* The top when the last row is at the lower edge. */
    get lowest() { return Math.max(0, this.rows.flat.length * this.height - this.plot.clientHeight); }
    /* What stands below takes more lines or fewer: the last row stays at the edge. */
    resized() {
        const isAtEnd = this.top > 0 && this.top + this.seenHeight >= this.rows.flat.length * this.height - 1;
        this.seenHeight = this.plot.clientHeight;
        if (isAtEnd) this.top = this.lowest;
        this.redraw();
    }
    x(time) { return (time - this.from) / (this.to - this.from) * this.width; }
    time(x) { return this.from + x / this.width * (this.to - this.from); }
    get perPixel() { return (this.to - this.from) / Math.max(this.width, 1); }
    show(from, to) {
        const span = clamp(to - from, Math.min(20, this.length), this.length);
        this.from = clamp(from, 0, this.length - span);
        this.to = this.from + span;
        this.moved();
    }
    zoom(factor, at = (this.from + this.to) / 2) {
        this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
    }
    /* In a report the wheel moves the page where there are no more rows. */
    hasRows(by) { return !this.source.isWhole || (by < 0 ? this.top > 0 : this.top < this.lowest); }
    scroll(by) {
        this.top = clamp(this.top + by, 0, this.lowest);
        this.moved();
    }
    fitHeight() {
        if (this.isFitted) this.height = clamp(Math.floor(this.plot.clientHeight / Math.max(this.rows.flat.length, 1)), 18, 64);
    }
    setHeight(factor) {
        const middle = (this.top + this.plot.clientHeight / 2) / this.height;
        this.height = clamp(Math.round(this.height * factor), 8, 200);
        this.isFitted = false;
        this.top = clamp(middle * this.height - this.plot.clientHeight / 2, 0, this.lowest);
        this.moved();
    }
    moved() {
        this.redraw();
        clearTimeout(this.later);
        this.later = setTimeout(() => {
            if (!this.source.isWhole) history.replaceState(null, '', this.link());
            this.status.textContent = `from ${point(this.from, this.perPixel)} to ${point(this.to, this.perPixel)}`;
        }, 250);
    }
    focusRow(at) {
        this.focus = clamp(at, 0, this.rows.flat.length - 1);
        const y = this.focus * this.height;
        if (y < this.top) this.top = y;
        if (y + this.height > this.top + this.plot.clientHeight) this.top = y + this.height - this.plot.clientHeight;
        this.moved();
        this.status.textContent = this.rows.flat[this.focus].name;
    }
    setLayer(name, isOn) {
        this.layers[name] = isOn;
        this.bar.querySelector(`[data-layer=${name}]`).setAttribute('aria-pressed', isOn);
    }
    toggleLayer(name) {
        this.setLayer(name, !this.layers[name]);
        this.moved();
    }
    setWhere(where) {
        this.store.setWhere(where);
        this.say('');
        if (this.selection) this.select(this.selection.from, this.selection.to);
        this.moved();
    }

    listen() {
        const canvas = this.canvas;
        const isOfPage = event => !(event.ctrlKey || event.metaKey || event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY) || this.hasRows(event.deltaY));
        canvas.addEventListener('wheel', event => {
            if (isOfPage(event)) return;
            event.preventDefault();
            const lines = event.deltaMode === 1 ? 30 : 1;
            if (event.ctrlKey || event.metaKey) this.zoom(Math.exp(clamp(event.deltaY * lines, -300, 300) / 300), this.time(event.offsetX));
            else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) { const by = (event.deltaX || event.deltaY) * lines * this.perPixel; this.show(this.from + by, this.to + by); }
            else this.scroll(event.deltaY * lines);
        }, { passive: false });
        canvas.addEventListener('pointerdown', event => this.drag(event));
        canvas.addEventListener('pointermove', event => this.hover(event));
        canvas.addEventListener('pointerleave', () => { this.tip.hidden = true; });
        canvas.addEventListener('dblclick', event => this.zoomToCall(event.offsetX, event.offsetY));
        canvas.addEventListener('keydown', event => this.key(event));
        this.headBox.addEventListener('pointerdown', event => this.dragHead(event));
        this.names.addEventListener('wheel', event => { if (isOfPage(event)) return; event.preventDefault(); this.scroll(event.deltaY); }, { passive: false });
        this.root.addEventListener('keydown', event => {
            if (event.key === '/' && !/INPUT|SELECT/.test(event.target.nodeName)) { event.preventDefault(); this.search.focus(); }
        });
    }
    drag(event) {
        if (event.button !== 0) return;
        const canvas = this.canvas, start = { x: event.clientX, y: event.clientY, from: this.from, to: this.to, top: this.top };
        let isMoved = false;
        const move = now => {
            isMoved ||= Math.hypot(now.clientX - start.x, now.clientY - start.y) > 4;
            if (!isMoved) return;
            canvas.classList.add('dragging');
            const by = (start.x - now.clientX) / this.width * (start.to - start.from);
            this.top = clamp(start.top + start.y - now.clientY, 0, this.lowest);
            this.show(start.from + by, start.to + by);
        };
        const end = now => {
            canvas.classList.remove('dragging');
            canvas.removeEventListener('pointermove', move);
            if (!isMoved) this.choose(now.offsetX, now.offsetY);
        };
        canvas.setPointerCapture(event.pointerId);
        canvas.addEventListener('pointermove', move);
        canvas.addEventListener('pointerup', end, { once: true });
    }
    dragHead(event) {
        const box = this.headBox, left = box.getBoundingClientRect().left;
        if (event.offsetY < OVERVIEW) {
            const jump = now => { const span = this.to - this.from, middle = (now.clientX - left) / this.width * this.length; this.show(middle - span / 2, middle + span / 2); };
            jump(event);
            this.follow(box, event, jump, () => {});
            return;
        }
        const first = this.time(event.clientX - left);
        const move = now => {
            const second = clamp(this.time(now.clientX - left), 0, this.length);
            this.selection = { from: Math.min(first, second), to: Math.max(first, second) };
            this.redraw();
        };
        this.selection = null;
        this.follow(box, event, move, () => this.selection && this.selection.to - this.selection.from > this.perPixel * 2 ? this.select(this.selection.from, this.selection.to) : this.select(0, 0));
    }
    follow(target, event, move, end) {
        target.setPointerCapture(event.pointerId);
        target.addEventListener('pointermove', move);
        target.addEventListener('pointerup', () => { target.removeEventListener('pointermove', move); end(); }, { once: true });
    }
    key(event) {
        const step = (this.to - this.from) / 8, node = this.rows.flat[this.focus];
        const actions = {
            ArrowLeft: () => this.show(this.from - step, this.to - step), ArrowRight: () => this.show(this.from + step, this.to + step),
            a: () => this.show(this.from - step, this.to - step), d: () => this.show(this.from + step, this.to + step),
            ArrowUp: () => this.focusRow(this.focus - 1), ArrowDown: () => this.focusRow(this.focus + 1),
            PageUp: () => this.scroll(-this.plot.clientHeight), PageDown: () => this.scroll(this.plot.clientHeight),
            '+': () => this.zoom(0.5), '=': () => this.zoom(0.5), w: () => this.zoom(0.5), '-': () => this.zoom(2), s: () => this.zoom(2),
            0: () => this.show(0, this.length), Home: () => this.show(0, this.length),
            Enter: () => this.choose(this.width / 2, (this.focus + 0.5) * this.height - this.top),
            ' ': () => node?.count > 0 && this.rows.toggle(node), f: () => this.zoomToSelection(), n: () => this.next(),
            m: () => this.toggleLayer('messages'), t: () => this.toggleLayer('waits'), p: () => this.toggleLayer('path'),
            Escape: () => this.select(0, 0), '?': () => this.help.showModal(),
        };
        const action = event.ctrlKey || event.metaKey || event.altKey ? null : actions[event.key];
        if (!action) return;
        event.preventDefault();
        action();
    }

    /* -- What is where -- */

    visibleRows() {
        const first = Math.max(0, Math.floor(this.top / this.height)), end = Math.min(this.rows.flat.length, Math.ceil((this.top + this.plot.clientHeight) / this.height));
        const nodes = [];
        for (let at = first; at < end; at++) {
            const node = this.rows.flat[at];
            if (node.isUnknown) this.rows.want(node);
            else nodes.push({ node, at, y: at * this.height - this.top });
        }
        return nodes;
    }
    /* The levels from the one that suits the view to coarser ones. */
    levels(by) {
        const bins = this.about.levels[by] || [], wanted = this.width * this.length / (this.to - this.from) / 1.5;
        let level = bins.findIndex(count => count >= wanted);
        if (level < 0) level = bins.length - 1;
        if (this.source.isWhole) level = Math.min(level, this.source.data.level);
        return Array.from({ length: level + 1 }, (_, i) => level - i);
    }
    binsIn(bins) {
        return [clamp(Math.floor(this.from / this.length * bins), 0, bins - 1), clamp(Math.ceil(this.to / this.length * bins), 1, bins)];
    }
    wantTiles(rows) {
        const kinds = new Map();
        for (const { node } of rows) kinds.set(node.by, [...(kinds.get(node.by) || []), node.number]);
        for (const [by, numbers] of kinds) {
            const levels = this.levels(by);
            for (const level of new Set([levels[0], Math.min(levels[0], 1)])) {
                const [first, end] = this.binsIn(this.about.levels[by][level]);
                for (let at = Math.floor(first / TILE); at <= Math.floor((end - 1) / TILE); at++) this.store.wantTiles(by, numbers, level, at);
            }
        }
    }
    /* The finest tile that is there for a row and a bin's time. */
    tileAt(node, time, levels) {
        for (const level of levels) {
            const bins = this.about.levels[node.by][level], tile = this.store.tile(node.by, node.number, level, Math.floor(clamp(Math.floor(time / this.length * bins), 0, bins - 1) / TILE));
            if (tile) return tile;
        }
        return null;
    }
    estimate(rows, what) {
        let sum = 0;
        for (const { node } of rows) {
            const levels = this.levels(node.by), tile = this.tileAt(node, (this.from + this.to) / 2, levels);
            if (!tile || !tile[what]) { sum += tile ? 0 : Infinity; continue; }
            const [first, end] = this.binsIn(tile.bins), part = (this.to - this.from) / this.length * tile.bins;
            let found = 0, bins = 0;
            for (let bin = first; bin < end; bin++) {
                const inTile = bin - tile.first;
                if (inTile >= 0 && inTile < tile.count) { found += tile[what][inTile]; bins++; }
            }
            sum += bins ? found / bins * part : 0;
        }
        return sum;
    }
    locationRows(rows) { return rows.filter(({ node }) => node.by === 'location').slice(0, 64); }
    windowOf(kind, rows, extra) {
        if (this.source.isWhole) return this.store.embedded(kind, this.from, this.to);
        return this.store.window(kind, this.from, this.to, rows.map(({ node }) => node.number).sort((a, b) => a - b), extra, this.perPixel * 2);
    }
    /* With an index, the next level is made ready while there is nothing else to do, so that it is there when somebody zooms in. */
    prepare() {
        const row = this.rows?.flat.find(node => node.by === 'location');
        if (!this.about?.is_indexed || this.source.isWhole || !row || this.width === 0) return;
        const bins = this.about.levels.location, level = this.levels('location')[0] + 1;
        if (level < bins.length) this.store.wantTiles('location', [row.number], level, Math.floor(this.binsIn(bins[level])[0] / TILE));
    }
    pixels() { return Math.min(4000, Math.max(100, Math.ceil(this.width))); }

    /* -- Drawing -- */

    redraw() {
        if (this.frame) return;
        this.frame = requestAnimationFrame(() => {
            this.frame = 0;
            if (this.about && this.width > 0) this.draw();
        });
    }
    context(canvas) {
        const ratio = devicePixelRatio || 1, box = canvas.parentNode, width = Math.round(box.clientWidth * ratio), height = Math.round(box.clientHeight * ratio);
        if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
        const context = canvas.getContext('2d', { alpha: false });
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        return context;
    }
    draw() {
        this.fitHeight();
        this.top = clamp(this.top, 0, this.lowest);
        const rows = this.visibleRows(), locations = this.locationRows(rows);
        this.wantTiles(rows);
        const estimate = this.estimate(locations, 'calls');
        const where = this.store.where ? `&where=${encodeURIComponent(this.store.where)}` : '';
        this.calls = locations.length && (this.source.isWhole || estimate < CALLS_MOST) ? this.windowOf('calls', locations, `&pixels=${this.pixels()}${where}`) : null;
        if (this.calls?.is_too_much) this.calls = null;
        this.messages = this.layers.messages && locations.length > 1 && (this.source.isWhole || this.estimate(locations, 'messages') * this.rows.flat.length / locations.length < 8000)
            ? this.windowOf('messages', locations, '') : null;
        this.waits = this.layers.waits && locations.length ? this.windowOf('waits', locations, `&pixels=${Math.min(400, this.pixels())}`) : null;
        this.path = this.layers.path && locations.length ? this.windowOf('path', locations, `&pixels=${Math.min(400, this.pixels())}`) : null;
        this.values = this.metric >= 0 && locations.length && !this.source.isWhole ? this.windowOf('counter', locations, `&metric=${this.metric}&pixels=200`) : null;
        const context = this.context(this.canvas);
        this.hits = [];
        this.drawBins(context, rows);
        if (this.calls) this.drawCalls(context);
        this.drawLines(context, rows);
        if (this.values) this.drawValues(context);
        if (this.waits) this.drawWaits(context);
        if (this.messages) this.drawMessages(context);
        if (this.path) this.drawPath(context);
        this.drawSelection(context, 0, this.plot.clientHeight);
        this.drawHead();
        this.drawNames(rows);
        this.describe(locations, estimate);
        this.root.dataset.drawn = `${Math.round(this.from)}-${Math.round(this.to)}`;
        this.root.dataset.calls = this.calls ? this.calls.rows.reduce((sum, row) => sum + row.calls.length / 6, 0) : 0;
    }
    describe(locations, estimate) {
        this.corner.replaceChildren(element('b', {}, point(this.from, this.perPixel)), `shows ${duration(this.to - this.from)} of ${duration(this.length)}`);
        const isDetail = this.calls && this.calls.from <= this.from && this.calls.to >= Math.min(this.to, this.length);
        const texts = [isDetail
            ? 'Bars are calls, inner ones below those that made them; pale bars stand for several calls shorter than two pixels. Pale blue is time outside of calls.'
            : `The height of a colour is its share of the pixel’s time (${duration(this.perPixel)}), in steps of 1/63.${this.source.isWhole ? '' : ' Zoom in for single calls.'}`];
        if (this.messages?.in_flight) texts.push(`${this.messages.in_flight} messages are received later, or never, and not drawn.`);
        if (this.messages?.groups) texts.push('Lines stand for several messages each; thick ones for more.' + (this.messages.left_out ? ` ${this.messages.left_out} lines are left out.` : ''));
        else if (this.layers.messages && !this.messages) texts.push('Messages are the thin strip below a row: darker is more.');
        if (this.waits) texts.push(this.waits.stretches ? 'Hatched: waiting.' : 'Hatched height: share of the pixel’s time that is waited.');
        if (this.path) texts.push(this.path.stretches ? 'Black line: the critical path.' : 'Dark strip above a row: share of the pixel’s time that is on the critical path.');
        if (this.values && this.valueRange) texts.push(`Line in a row: ${visible(this.about.metrics[this.metric].name)}${this.about.metrics[this.metric].is_rate ? ', its growth' : ''}, from ${this.valueRange[0]} to ${this.valueRange[1]}.`);
        if (this.source.isWhole && !isDetail && this.source.data.windows.length) texts.push('Single calls are in this report for the windows listed; for others: quipu view.');
        if (this.about.findings) texts.push(`The trace has ${this.about.findings} findings: quipu check.`);
        if (this.trouble) texts.unshift(`${this.trouble}.`);
        this.honest.textContent = texts.join(' ');
    }
    drawBins(context, rows) {
        const ratio = devicePixelRatio || 1, width = this.canvas.width, height = this.canvas.height;
        const image = context.createImageData(width, height), pixels = new Uint32Array(image.data.buffer);
        pixels.fill(Colours.pack(this.colours.of('paper')));
        const present = new Set(), hasCalls = this.calls ? new Set(this.calls.rows.map(row => row.row)) : null;
        for (const { node, y } of rows) {
            const isDetail = hasCalls && node.by === 'location' && this.calls.from <= this.from && this.calls.to >= Math.min(this.to, this.length);
            this.drawRowBins(pixels, width, height, Math.round((y + 1) * ratio), Math.round((y + this.height - 4) * ratio), node, isDetail ? null : present);
        }
        context.putImageData(image, 0, 0);
        if ([...present].some(name => !this.present.has(name))) {
            this.present = new Set([...this.present, ...present]);
            this.showLegend();
        }
        if (this.layers.messages && !this.messages) for (const row of rows) this.drawStrip(context, row);
    }
    /* Without present: where the location lives, behind its calls. */
    drawRowBins(pixels, width, height, top, bottom, node, present) {
        const levels = this.levels(node.by), rowHeight = bottom - top, span = this.to - this.from;
        let lastTile = null, lastBin = -1, stack = [];
        for (let x = 0; x < width; x++) {
            const time = this.from + (x + 0.5) / width * span;
            if (time >= this.length) break;
            let tile = lastTile, bin = tile ? Math.floor(time / this.length * tile.bins) : -1;
            if (!tile || tile.level !== levels[0] || bin < tile.first || bin >= tile.first + tile.count) {
                tile = this.tileAt(node, time, levels);
                if (!tile) continue;
                bin = Math.floor(time / this.length * tile.bins);
            }
            if (tile !== lastTile || bin !== lastBin) {
                stack = !present && tile.uses.some(shares => shares?.[bin - tile.first]) ? [[this.colours.faint, 63]] : [];
                for (let use = 0; present && use < USES.length; use++) {
                    const share = tile.uses[use] ? tile.uses[use][bin - tile.first] : 0;
                    if (!share) continue;
                    present.add(USES[use][0]);
                    stack.push([this.colours.packed[use], share]);
                }
                lastTile = tile;
                lastBin = bin;
            }
            let y = bottom, sum = 0;
            for (const [colour, share] of stack) {
                sum += share;
                const end = bottom - Math.round(Math.min(sum, 63) / 63 * rowHeight);
                for (; y > end; y--) if (y > 0 && y <= height) pixels[(y - 1) * width + x] = colour;
            }
        }
    }
    drawStrip(context, { node, y }) {
        const levels = this.levels(node.by);
        context.fillStyle = this.colours.of('p2p-2');
        for (let x = 0; x < this.width; x += 2) {
            const time = this.time(x), tile = this.tileAt(node, time, levels);
            if (!tile?.messages) continue;
            const count = tile.messages[Math.floor(time / this.length * tile.bins) - tile.first];
            if (!count) continue;
            context.globalAlpha = clamp(Math.log2(count + 1) / 10, 0.12, 0.9);
            context.fillRect(x, y + this.height - 3, 2, 2);
        }
        context.globalAlpha = 1;
    }
    /* Lanes for nested calls, as many as the deepest has. */
    lanes() { return this.calls.depth ||= 1 + this.calls.rows.reduce((most, row) => { for (let i = 0; i < row.calls.length; i += 6) most = Math.max(most, row.calls[i]); return most; }, 0); }
    drawCalls(context) {
        const lanes = this.lanes(), origin = this.calls.from, lane = Math.max((this.height - 5) / lanes, 2);
        context.font = '11px system-ui, "DejaVu Sans", sans-serif';
        context.textBaseline = 'middle';
        for (const row of this.calls.rows) {
            const at = this.rows.of(row.row), y = at * this.height - this.top;
            if (at === undefined || y > this.plot.clientHeight || y + this.height < 0) continue;
            for (let i = 0; i < row.calls.length; i += 6) this.drawCall(context, row.row, row.calls.slice(i, i + 6), origin, y + 1, lane);
        }
    }
    drawCall(context, location, [depth, begin, length, region, count, time], origin, y, lane) {
        const left = this.x(origin + begin), right = this.x(origin + begin + length);
        if (right < 0 || left > this.width) return;
        const { name, raw, role } = this.store.name(region), colour = this.colours.region(raw, role);
        const use = USES.find(([, variable]) => variable.startsWith(`${HUES[role] || 'useful'}-`))[0];
        if (!this.present.has(use)) { this.present.add(use); this.showLegend(); }
        const x = Math.max(left, -2), width = Math.max(Math.min(right, this.width + 2) - x, 0.7), top = y + depth * lane, height = Math.max(Math.min(lane - 0.5, this.height - 5 - depth * lane), 1.5);
        context.fillStyle = colour;
        context.globalAlpha = count > 1 ? 0.25 + 0.6 * clamp(time / Math.max(length, 1), 0, 1) : 1;
        context.fillRect(x, top, width > 3 ? width - 0.6 : width, height);
        context.globalAlpha = 1;
        if (width > 34 && height >= 8.5 && count < 2) this.label(context, name, x + 3, top + height / 2 + 0.5, width - 6, Colours.on(colour));
        const hit = { x, y: top, width: Math.max(width, 2), height, location, depth, from: origin + begin, to: origin + begin + length, region, count, time };
        if (this.chosen && hit.location === this.chosen.location && hit.depth === this.chosen.depth && hit.from === this.chosen.from) {
            context.strokeStyle = this.colours.of('ink');
            context.lineWidth = 2;
            context.strokeRect(x + 1, top + 1, Math.max(width - 2, 1), height - 2);
        }
        this.hits.push(hit);
    }
    label(context, text, x, y, width, colour) {
        const most = Math.floor(width / 5.8), shown = text.length > most ? `${text.slice(0, Math.max(most - 1, 1))}…` : text;
        if (most < 3) return;
        context.fillStyle = colour;
        context.fillText(shown, x, y, width);
    }
    drawLines(context, rows) {
        context.fillStyle = this.colours.of('grid');
        for (const { y } of rows) context.fillRect(0, Math.round(y + this.height) - 1, this.width, 1);
        const focused = rows.find(({ at }) => at === this.focus);
        if (!focused || document.activeElement !== this.canvas) return;
        context.strokeStyle = this.colours.of('accent');
        context.lineWidth = 1;
        context.strokeRect(0.5, focused.y + 0.5, this.width - 1, this.height - 1);
    }
    rowMiddle(location) {
        const at = this.rows.of(location);
        return at === undefined ? null : (at + 0.5) * this.height - this.top - 2;
    }
    drawMessages(context) {
        const list = this.messages.messages || this.messages.groups, isGrouped = !this.messages.messages;
        context.strokeStyle = context.fillStyle = this.colours.of('ink');
        for (const [sender, receiver, sent, received, count] of list) {
            const from = this.rowMiddle(sender), to = this.rowMiddle(receiver), left = this.x(sent), right = this.x(received);
            if (from === null || to === null || Math.max(left, right) < 0 || Math.min(left, right) > this.width) continue;
            context.globalAlpha = isGrouped ? clamp(0.15 + Math.log2(count + 1) / 20, 0.15, 0.7) : clamp(120 / list.length, 0.15, 0.8);
            context.lineWidth = isGrouped ? clamp(Math.log2(count + 1) / 2, 0.8, 5) : 1;
            context.beginPath();
            context.moveTo(left, from);
            context.lineTo(right, to);
            context.stroke();
            if (list.length < 300 && !isGrouped) this.arrow(context, left, from, right, to);
        }
        context.globalAlpha = 1;
    }
    arrow(context, left, from, right, to) {
        const angle = Math.atan2(to - from, right - left);
        context.beginPath();
        context.moveTo(right, to);
        for (const turn of [-0.35, 0.35]) context.lineTo(right - 7 * Math.cos(angle + turn), to - 7 * Math.sin(angle + turn));
        context.fill();
    }
    hatch(context) {
        if (this.hatched?.colours === this.colours) return this.hatched.pattern;
        const tile = element('canvas', { width: 6, height: 6 }), inner = tile.getContext('2d');
        inner.fillStyle = this.colours.of('paper');
        inner.globalAlpha = 0.55;
        inner.fillRect(0, 0, 6, 6);
        inner.globalAlpha = 1;
        inner.strokeStyle = this.colours.of('warn');
        inner.lineWidth = 1.6;
        for (const shift of [-6, 0, 6]) { inner.beginPath(); inner.moveTo(shift, 6); inner.lineTo(shift + 6, 0); inner.stroke(); }
        this.hatched = { colours: this.colours, pattern: context.createPattern(tile, 'repeat') };
        return this.hatched.pattern;
    }
    drawWaits(context) {
        context.fillStyle = this.hatch(context);
        this.drawShares(context, this.waits, (x, width, y, share) => context.fillRect(x, y + this.height - 4 - share * (this.height - 5), width, share * (this.height - 5)));
        for (const [location, from, to, why, region, peer] of this.waits.stretches || []) {
            const at = this.rows.of(location);
            if (at === undefined || to < this.from || from > this.to) continue;
            const x = this.x(from), y = at * this.height - this.top, width = Math.max(this.x(to) - x, 1);
            context.fillRect(x, y + 1, width, this.height - 5);
            this.hits.push({ x, y: y + this.height / 2, width, height: this.height / 2, isWait: true, location, from, to, why: this.waits.labels[why], region: this.waits.labels[region], peer });
        }
    }
    drawShares(context, layer, fill) {
        for (const row of layer.rows || []) {
            const at = this.rows.of(row.row), y = at * this.height - this.top;
            if (at === undefined) continue;
            row.percent.forEach((percent, i) => {
                const x = this.x(layer.from + i * layer.pixel), width = layer.pixel / this.perPixel;
                if (percent > 0 && x + width > 0 && x < this.width) fill(x, width, y, Math.min(percent, 100) / 100);
            });
        }
    }
    drawPath(context) {
        context.fillStyle = context.strokeStyle = this.colours.of('ink');
        this.drawShares(context, this.path, (x, width, y, share) => { context.globalAlpha = 0.15 + 0.85 * share; context.fillRect(x, y + 1, width, 4); });
        context.globalAlpha = 1;
        if (!this.path.stretches) return;
        context.lineWidth = 2.5;
        context.lineJoin = 'round';
        context.beginPath();
        let before = null;
        for (const [location, from, to, why, region] of this.path.stretches) {
            const y = this.rowMiddle(location);
            if (y === null) { before = null; continue; }
            if (before === null) context.moveTo(this.x(from), y);
            else context.lineTo(this.x(from), y);
            context.lineTo(this.x(to), y);
            before = y;
            this.hits.push({ x: this.x(from), y: y - 3, width: this.x(to) - this.x(from), height: 6, isPath: true, location, from, to, why: this.path.labels[why], region: this.path.labels[region] });
        }
        context.strokeStyle = this.colours.of('paper');
        context.lineWidth = 5;
        context.stroke();
        context.strokeStyle = this.colours.of('ink');
        context.lineWidth = 2.5;
        context.stroke();
    }
    /* A counter as an area in each row; rates where the metric only grows. */
    drawValues(context) {
        const isRate = this.about.metrics[this.metric].is_rate, { from, to } = this.values;
        const series = this.values.rows.map(row => ({ row: row.row, values: this.series(row.values, isRate) }));
        const most = Math.max(...series.flatMap(({ values }) => values.map(value => value ?? 0)), 0), least = Math.min(...series.flatMap(({ values }) => values.map(value => value ?? 0)), 0);
        for (const { row, values } of series) {
            const at = this.rows.of(row);
            if (at === undefined || most === least) continue;
            const bottom = (at + 1) * this.height - this.top - 4, height = this.height - 8, step = (to - from) / values.length;
            const y = value => bottom - ((value ?? 0) - least) / (most - least) * height;
            context.beginPath();
            context.moveTo(this.x(from), bottom);
            values.forEach((value, i) => { context.lineTo(this.x(from + i * step), y(value)); context.lineTo(this.x(from + (i + 1) * step), y(value)); });
            context.lineTo(this.x(to), bottom);
            context.fillStyle = this.colours.of('paper');
            context.globalAlpha = 0.6;
            context.fill();
            context.globalAlpha = 1;
            context.strokeStyle = this.colours.of('ink');
            context.lineWidth = 1.4;
            context.stroke();
        }
        this.valueRange = [least, most];
    }
    series(values, isRate) {
        let known = values[0];
        return values.slice(1).map(value => {
            const before = known;
            known = value ?? known;
            if (!isRate) return known;
            return value === null || before === null ? 0 : value - before;
        });
    }
    drawSelection(context, top, height) {
        if (!this.selection) return;
        const left = this.x(this.selection.from), right = this.x(this.selection.to);
        context.fillStyle = this.colours.of('accent');
        context.globalAlpha = 0.12;
        context.fillRect(left, top, right - left, height);
        context.globalAlpha = 1;
        context.fillRect(left - 0.75, top, 1.5, height);
        context.fillRect(right - 0.75, top, 1.5, height);
    }
    drawHead() {
        const context = this.context(this.head), width = this.width;
        context.fillStyle = this.colours.of('panel');
        context.fillRect(0, 0, width, HEAD);
        this.drawOverview(context);
        context.fillStyle = this.colours.of('paper');
        context.fillRect(0, OVERVIEW, width, HEAD - OVERVIEW);
        const rough = (this.to - this.from) / (width / 110), base = 10 ** Math.floor(Math.log10(rough)), step = Math.max(1, [1, 2, 5, 10].map(part => part * base).find(part => part >= rough));
        context.font = '11px system-ui, "DejaVu Sans", sans-serif';
        context.textBaseline = 'alphabetic';
        for (let time = Math.ceil(this.from / step) * step; time < this.to; time += step) {
            const x = this.x(time);
            context.fillStyle = this.colours.of('line');
            context.fillRect(x, HEAD - 8, 1, 8);
            context.fillStyle = this.colours.of('soft');
            context.fillText(point(time, step), x + 3, HEAD - 11);
        }
        this.drawSelection(context, OVERVIEW, HEAD - OVERVIEW);
        const left = this.from / this.length * width, right = this.to / this.length * width;
        context.strokeStyle = this.colours.of('accent');
        context.lineWidth = 2;
        context.strokeRect(left + 1, 1, Math.max(right - left - 2, 2), OVERVIEW - 2);
    }
    /* The whole run, all rows together. */
    drawOverview(context) {
        const bins = this.about.levels.all[1] ? 1 : 0, count = this.about.levels.all[bins];
        for (let at = 0; at * TILE < count; at++) this.store.wantTiles('all', [0], bins, at);
        for (let x = 0; x < this.width; x++) {
            const bin = Math.floor(x / this.width * count), tile = this.store.tile('all', 0, bins, Math.floor(bin / TILE));
            if (!tile || !tile.uses.length) continue;
            let y = OVERVIEW - 2;
            USES.forEach(([, variable], use) => {
                const share = tile.uses[use]?.[Math.floor(x / this.width * tile.bins) - tile.first] || 0, height = share / 63 * (OVERVIEW - 4);
                context.fillStyle = this.colours.of(variable);
                context.fillRect(x, y - height, 1, height);
                y -= height;
            });
        }
    }
    drawNames(rows) {
        const old = new Map([...this.names.children].map(child => [child.dataset.key, child]));
        for (const { node, at, y } of rows) {
            const key = `${node.key}:${node.isOpen}`, made = old.get(key) || this.nameOf(node, key);
            old.delete(key);
            if (made.parentNode !== this.names) this.names.append(made);
            Object.assign(made.style, { top: `${y}px`, height: `${this.height}px` });
            made.classList.toggle('on', at === this.focus);
        }
        for (const child of old.values()) child.remove();
    }
    nameOf(node, key) {
        const made = element('div', { 'data-key': key, role: 'listitem', title: node.name, onclick: () => { this.focus = this.rows.place.get(node.key); this.redraw(); } });
        made.style.paddingLeft = `${0.4 + node.depth}rem`;
        if (node.count > 0) made.append(element('button', { type: 'button', 'aria-expanded': String(node.isOpen), 'aria-label': `${node.isOpen ? 'fold' : 'unfold'} ${node.name}`, onclick: event => { event.stopPropagation(); this.rows.toggle(node); } }, node.isOpen ? '▾' : '▸'));
        made.append(element('span', {}, node.name));
        if (node.count > 0) made.append(element('small', {}, node.count));
        return made;
    }

    /* -- Looking closer -- */

    hitAt(x, y) {
        for (let i = this.hits.length - 1; i >= 0; i--) {
            const hit = this.hits[i];
            if (x >= hit.x - 1 && x <= hit.x + hit.width + 1 && y >= hit.y && y <= hit.y + hit.height) return hit;
        }
        return null;
    }
    nameOfLocation(location) {
        const at = this.rows.of(location);
        return at === undefined ? `location ${location}` : this.rows.flat[at].name;
    }
    hover(event) {
        const lines = event.buttons ? null : this.textAt(event.offsetX, event.offsetY);
        this.tip.hidden = !lines;
        if (!lines) return;
        this.tip.replaceChildren(element('b', {}, lines[0]), ...lines.slice(1).flatMap(line => [element('i', {}, line), element('br')]).slice(0, -1));
        const right = event.offsetX > this.width * 0.6;
        Object.assign(this.tip.style, { left: right ? '' : `${event.offsetX + 14}px`, right: right ? `${this.width - event.offsetX + 14}px` : '', top: `${Math.min(event.offsetY + 12, this.plot.clientHeight - 90)}px` });
    }
    textAt(x, y) {
        const hit = this.hitAt(x, y);
        if (hit?.isWait) return [hit.why, `${this.nameOfLocation(hit.location)} waits ${duration(hit.to - hit.from)} in ${visible(hit.region || 'a call')}`, hit.peer >= 0 ? `for ${this.nameOfLocation(hit.peer)}` : ''].filter(Boolean);
        if (hit?.isPath) return ['critical path', `${this.nameOfLocation(hit.location)}, ${visible(hit.region || 'outside of calls')}, ${duration(hit.to - hit.from)}`, `leaves it for: ${hit.why}`];
        if (hit) return this.callText(hit);
        const at = Math.floor((y + this.top) / this.height), node = this.rows.flat[at];
        if (!node || node.isUnknown) return null;
        const time = this.time(x), tile = this.tileAt(node, time, this.levels(node.by));
        return tile?.uses.length ? this.binText(node, tile, Math.floor(time / this.length * tile.bins) - tile.first) : null;
    }
    callText(hit) {
        const { name } = this.store.name(hit.region), place = this.nameOfLocation(hit.location);
        if (hit.count > 1) return [`${hit.count} calls`, `the longest is ${name}`, `${duration(hit.time)} of ${duration(hit.to - hit.from)}, ${place}`];
        return [name, `${hit.count ? '' : 'more than '}${duration(hit.to - hit.from)} from ${point(hit.from, this.perPixel)}`, place];
    }
    binText(node, tile, bin) {
        const shares = USES.map(([, , text], use) => [tile.uses[use]?.[bin] || 0, text]).filter(([share]) => share > 0).sort((a, b) => b[0] - a[0]);
        const lines = [node.name, ...shares.map(([share, text]) => `${Math.round(share / 63 * 100)} % ${text}`)];
        if (tile.region[bin] > 0) lines.push(`most of it in ${this.store.name(tile.region[bin] - 1).name} (${Math.round((tile.regionShare?.[bin] || 0) / 63 * 100)} %)`);
        lines.push(`${tile.calls[bin]} calls, ${tile.messages[bin]} messages in ${duration(this.length / tile.bins)}`);
        return shares.length ? lines : null;
    }
    choose(x, y) {
        const hit = this.hitAt(x, y), at = Math.floor((y + this.top) / this.height);
        this.focus = clamp(at, 0, this.rows.flat.length - 1);
        this.chosen = hit;
        if (hit) this.showDetails(hit);
        this.redraw();
    }
    showDetails(hit) {
        const lines = this.textAt(hit.x + hit.width / 2, hit.y + hit.height / 2) || this.callText(hit), pair = (term, text) => [element('dt', {}, term), element('dd', {}, text)];
        const isCall = !hit.isWait && !hit.isPath;
        this.showSide(element('h2', {}, isCall ? this.callText(hit)[0] : lines[0]),
            element('dl', {}, ...pair('from', point(hit.from, 1)), ...pair('how long', `${hit.count === 0 ? 'more than ' : ''}${duration(hit.to - hit.from)}`), ...pair('where', this.nameOfLocation(hit.location)),
                ...(isCall && hit.count === 1 ? pair('depth', hit.depth) : []), ...(isCall && hit.count > 1 ? pair('together', `${hit.count} calls, ${duration(hit.time)}`) : []), ...(hit.peer >= 0 ? pair('for', this.nameOfLocation(hit.peer)) : [])),
            element('div', { class: 'buttons' }, element('button', { type: 'button', onclick: () => this.show(hit.from - (hit.to - hit.from) * 0.2, hit.to + (hit.to - hit.from) * 0.2) }, 'zoom to it'),
                element('button', { type: 'button', onclick: () => this.select(hit.from, hit.to) }, 'select its time'),
                isCall && !this.source.isWhole ? element('button', { type: 'button', onclick: () => this.next() }, 'next call') : null));
        this.status.textContent = lines.join(', ');
    }
    showSide(...children) {
        this.side.hidden = children.length === 0;
        this.side.replaceChildren(...children);
        this.redraw();
    }
    zoomToCall(x, y) {
        const hit = this.hitAt(x, y);
        if (hit) this.show(hit.from - (hit.to - hit.from) * 0.1, hit.to + (hit.to - hit.from) * 0.1);
        else this.zoom(0.25, this.time(x));
    }
    zoomToSelection() {
        const it = this.selection || this.chosen;
        if (it) this.show(it.from, it.to);
    }
    /* The next call of the chosen region, anywhere. */
    async next(region = this.chosen?.region, from = this.chosen ? this.chosen.from + 1 : this.from) {
        if (region === undefined || this.source.isWhole) return;
        const found = await this.store.ask(`next?region=${region}&from=${Math.floor(from)}`);
        if (!found.is_found) { this.say('there is no further call of that region'); return; }
        const span = Math.min(this.to - this.from, this.length / 200), at = this.rows.of(found.location);
        if (at !== undefined) this.focusRow(at);
        this.chosen = { location: found.location, from: found.at, to: found.at, region, depth: -1 };
        this.show(found.at - span / 2, found.at + span / 2);
    }

    /* -- Selecting a part of the time -- */

    clock(ns) { return `${this.origin + BigInt(Math.round(ns))}ns`; }
    async select(from, to) {
        if (to <= from) {
            this.selection = this.chosen = null;
            this.showSide();
            this.moved();
            return;
        }
        this.selection = { from: Math.round(from), to: Math.round(to) };
        const { from: begin, to: end } = this.selection, where = this.store.where;
        const command = `quipu profile --by region --since ${this.clock(begin)} --until ${this.clock(end)}${where ? ` --where '${where}'` : ''}`;
        const heading = element('h2', {}, `${duration(end - begin)} from ${point(begin, (end - begin) / 100)}`), buttons = element('div', { class: 'buttons' }, element('button', { type: 'button', onclick: () => this.zoomToSelection() }, 'zoom to it'), element('button', { type: 'button', onclick: () => this.select(0, 0) }, 'select nothing'));
        const body = element('div', {}, element('p', {}, this.source.isWhole ? 'For the profile of this part:' : 'reading…'));
        this.showSide(heading, buttons, body, element('p', {}, 'The same on the command line:'), element('code', {}, command));
        this.moved();
        if (this.source.isWhole) return;
        try {
            const answer = await this.store.ask(`statistics?from=${begin}&to=${end}${where ? `&where=${encodeURIComponent(where)}` : ''}`);
            if (this.selection?.from === begin && this.selection?.to === end) body.replaceChildren(this.profile(answer));
        } catch (error) {
            body.replaceChildren(element('p', {}, error.message));
        }
    }
    profile({ profile, rows }) {
        const at = name => profile.columns.findIndex(column => column.name === name), columns = [['region', 'region', visible], ['share_percent', '%', value => value.toFixed(1)], ['calls', 'calls', String], ['exclusive_ns', 'self', duration], ['inclusive_ns', 'total', duration]];
        const cell = (row, [name, , text]) => { const value = row[at(name)]; return element('td', { title: value ?? '' }, value === null || value === undefined ? (name === 'region' ? 'outside of calls' : '') : text(value)); };
        const shown = columns.filter(([name]) => at(name) >= 0);
        return element('div', {}, element('table', { 'data-rows': rows }, element('caption', { class: 'timeline-hidden' }, 'profile of the selected time'),
            element('thead', {}, element('tr', {}, ...shown.map(([, title]) => element('th', { scope: 'col' }, title)))),
            element('tbody', {}, ...profile.rows.map(row => element('tr', {}, ...shown.map(column => cell(row, column)))))),
            rows > profile.rows.length ? element('p', {}, `${rows - profile.rows.length} more regions`) : '');
    }

    /* -- Searching -- */

    find() {
        clearTimeout(this.searching);
        const text = this.search.value.trim();
        if (!text) { this.found.hidden = true; return; }
        this.searching = setTimeout(async () => {
            const answer = await this.store.ask(`search?text=${encodeURIComponent(text.slice(0, 80))}`);
            const choice = (label, kind, action) => element('li', {}, element('button', { type: 'button', onclick: action }, label, ' ', element('small', {}, kind)));
            this.found.hidden = false;
            this.found.replaceChildren(...answer.regions.map(region => choice(this.store.name(region).name, 'region: next call', () => this.foundRegion(region))),
                ...answer.locations.map(([host, process, location, name]) => choice(visible(name), 'row', () => this.foundRow(host, process, location))));
            if (!this.found.children.length) this.found.replaceChildren(element('li', {}, 'nothing has that in its name'));
        }, 150);
    }
    searchKey(event) {
        if (event.key === 'Escape') { this.found.hidden = true; this.canvas.focus(); }
        if (event.key === 'Enter') this.found.querySelector('button')?.click();
        if (event.key === 'ArrowDown') this.found.querySelector('button')?.focus();
    }
    foundRegion(region) {
        this.found.hidden = true;
        this.chosen = null;
        this.canvas.focus();
        this.next(region, this.from);
    }
    async foundRow(host, process, location) {
        this.found.hidden = true;
        this.canvas.focus();
        const at = await this.rows.reveal(host, process, location);
        if (at !== undefined) this.focusRow(at);
    }
}

/* ---- Beginning ---- */

for (const root of document.querySelectorAll('.timeline')) {
    const data = root.querySelector('script[type="application/json"]');
    const timeline = new Timeline(root, data ? new Embedded(JSON.parse(data.textContent)) : new Served());
    root.timeline = timeline;
    /* The token has served: it leaves the address, and so the history. */
    if (!data && location.search) history.replaceState(null, '', location.pathname + location.hash);
    timeline.begin().catch(error => root.replaceChildren(element('p', { class: 'timeline-note', role: 'alert' }, `quipu: ${error.message}`)));
    if (!data) addEventListener('hashchange', () => timeline.take(new URLSearchParams(location.hash.slice(1))).then(() => timeline.redraw()));
}
