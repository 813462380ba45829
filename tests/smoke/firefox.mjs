// Reads the article in Firefox, over WebDriver BiDi, and prints what it found as one line of JSON.
//
//   node firefox.mjs PUPPETEER FIREFOX HOME
//
// PUPPETEER is the folder of puppeteer-core, FIREFOX the browser, HOME the address of a built site with a slash at its end.
// Waits are for what the page says of itself, never for a time.
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';

const [folder, executablePath, home] = process.argv.slice(2);
const { default: puppeteer } = createRequire(path.join(folder, 'package.json'))('puppeteer-core');

const problems = [];
const counts = { figures: 0, drawn: 0, tries: 0, hovers: 0, downloads: 0, pages: 0 };
const check = (right, what) => right || problems.push(what);

const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    args: ['--width=1200', '--height=900'],
    protocolTimeout: 300_000,
    timeout: 300_000,
});

// what a page refuses, and what it would save: in place of a file, its size and kind
function watch() {
    window.noted = { refused: [], saved: [] };
    addEventListener('securitypolicyviolation', (event) => window.noted.refused.push(`${event.violatedDirective} ${event.blockedURI}`), true);
    const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
        window.noted.saved.push({ type: blob.type, size: blob.size });
        return make.call(URL, blob);
    };
    const { click } = HTMLAnchorElement.prototype;
    HTMLAnchorElement.prototype.click = function noted() {
        if (this.download) window.noted.saved.at(-1).name = this.download;
        else click.call(this);
    };
}

async function open(address) {
    const page = await browser.newPage();
    page.setDefaultTimeout(300_000);
    await page.setViewport({ width: 1200, height: 900 });
    await page.evaluateOnNewDocument(watch);
    page.on('console', (message) => problems.push(`${address}: console ${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => problems.push(`${address}: ${error.message}`));
    page.on('requestfailed', (request) => problems.push(`${address}: failed: ${request.url()}`));
    page.on('request', (request) => check(/^(data|blob):/.test(request.url()) || request.url().startsWith(home), `asked for ${request.url()}`));
    await page.goto(address);
    return page;
}

async function close(page) {
    for (const line of (await page.evaluate(() => window.noted)).refused) problems.push(`${page.url()}: against the policy: ${line}`);
    page.removeAllListeners('requestfailed'); // what a frame took from the cache counts as failed when it is closed
    await page.close();
}

// until the page says that it shows a state
const ready = (page, state) => page.waitForFunction((wanted) => document.documentElement.dataset.ready === wanted, {}, state);
const stateOf = (href) => href.slice(1).replace(/&at=.*/, '');

async function draw(page, kind) {
    await page.hover(`#figure-${kind} .title`);
    const names = await page.$$eval(`#figure-${kind} [data-plot]`, (all) => all.filter((one) => one.clientWidth).map((one) => one.dataset.plot));
    for (const name of names) {
        const plot = `#figure-${kind} [data-plot="${name}"]`;
        await page.$eval(plot, (box) => box.scrollIntoView({ block: 'center' }));
        await page.waitForSelector(`${plot}[data-drawn] .stage .main-svg`);
        counts.drawn += 1;
    }
}

// points at the widest bar of a figure, until a label shows
async function hover(page, kind) {
    const at = await page.$$eval(`#figure-${kind} .barlayer .point path`, (all) => {
        const widest = all.map((one) => one.getBoundingClientRect()).sort((a, b) => b.width - a.width)[0];
        scrollBy(0, widest.top - innerHeight / 2);
        const top = widest.top - (widest.top - innerHeight / 2);
        return { x: widest.left + widest.width / 2, y: top + widest.height / 2 };
    });
    await page.mouse.move(at.x - 2, at.y);
    await page.mouse.move(at.x, at.y);
    await page.waitForFunction((layer) => document.querySelector(layer)?.textContent, {}, `#figure-${kind} .hoverlayer .hovertext .nums`);
    counts.hovers += 1;
}

async function article() {
    const page = await open(`${home}index.html`);
    await page.waitForSelector('html[data-ready]');
    const first = await page.$eval('html', (root) => root.dataset.ready);
    const kinds = await page.$$eval('[data-figure]', (all) => all.map((one) => one.dataset.figure));
    counts.figures = kinds.length;
    for (const kind of kinds) await draw(page, kind);
    await hover(page, 'softmax');
    await hover(page, 'table');

    // every "Try it"
    const tries = await page.$$eval('.try a.state', (all) => all.map((one) => one.getAttribute('href')));
    for (const [index, href] of tries.entries()) {
        await page.$$eval('.try a.state', (all, place) => all[place].click(), index);
        await ready(page, stateOf(href));
        // the figure that it leads to shows all of it; the address keeps that where the figure shows more than it follows
        const shown = await page.$eval(`#figure-${/&at=([\w-]+)/.exec(href)[1]}`, (one) => one.dataset.state);
        check(shown === stateOf(href), `${href}: shows ${shown}`);
        const hash = await page.evaluate(() => location.hash);
        check([`#${stateOf(href)}`, href].includes(hash), `${href}: the address is ${hash}`);
        counts.tries += 1;
    }

    // by the address, and by a control
    const hash = 'sentence=soft&mask=off&head=previous&token=4';
    await page.evaluate((state) => { location.hash = state; }, hash);
    await ready(page, hash);
    await page.$eval('#figure-lines input[value="token=2"]', (input) => input.click());
    await ready(page, hash.replace('token=4', 'token=2'));

    // colours, and what can be saved
    await page.$eval('#theme input[value="dark"]', (input) => input.click());
    await page.waitForSelector('html[data-theme="dark"][data-ready]');
    for (const [place, kind] of ['svg', 'png', 'csv'].entries()) {
        await page.$eval(`#figure-lines [data-download="${kind}"]`, (button) => button.click());
        await page.waitForFunction((count) => window.noted.saved.length > count && window.noted.saved[count].name, {}, place);
        const { type, size, name } = (await page.evaluate(() => window.noted.saved))[place];
        check(size > 200 && name.endsWith(`.${kind}`) && type.includes(kind), `saved ${name}: ${size} bytes of ${type}`);
        counts.downloads += 1;
    }
    await page.$eval('#figure-lines .reset', (button) => button.click());
    await ready(page, first);
    await close(page);
}

// any other page shows the state that its address names
async function other(address, state) {
    const page = await open(`${home}${address}#${state}`);
    await ready(page, state);
    counts.pages += 1;
    await close(page);
}

// the page for teachers, until nothing of its preview is still on its way
async function teachers() {
    const page = await open(`${home}teachers.html`);
    const preview = await (await page.waitForSelector('#live')).contentFrame();
    await preview.waitForSelector('[data-drawn]');
    counts.pages += 1;
    await close(page);
}

try {
    await article();
    const state = 'sentence=soft&mask=on&head=previous&token=5';
    for (const name of ['index', 'sections/softmax', 'sections/every-token', 'embed/figure-mix']) await other(`${name}.html`, state);
    await teachers();
} catch (error) {
    problems.push(String(error.stack));
} finally {
    await browser.close();
}
console.log(JSON.stringify({ problems, counts }));
