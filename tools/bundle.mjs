// Builds the plotly.js that the pages load: its core (which has scatter) and bar, a fifth of the full one.
//
//   node tools/bundle.mjs MODULES OUT
//
// MODULES is the folder that holds node_modules, OUT gets plotly.min.js and plotly.css. Equal inputs give
// equal bytes.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';

const TRACES = ['bar'];

const [modules, out] = process.argv.slice(2).map((folder) => path.resolve(folder));
if (!out) {
    console.error('usage: node tools/bundle.mjs MODULES OUT');
    process.exit(2);
}
// The packages are found from MODULES, which need not be a parent of this file.
const require = createRequire(path.join(modules, 'package.json'));
const esbuild = require('esbuild');
const { version } = require('plotly.js/package.json');

const entry = `
const Plotly = require('plotly.js/lib/core');
Plotly.register([${TRACES.map((name) => `require('plotly.js/lib/${name}')`)}]);
module.exports = Plotly;
`;

const banner = `/*! plotly.js v${version} (core with scatter, and ${TRACES.join(', ')})
 * Copyright 2012-2026, Plotly, Inc. All rights reserved.
 * Licensed under the MIT license
 */`;

// Every attribute of a chart carries its documentation, which nothing reads at run time. plotly's own build
// drops it; the modules on npm still have it. Only constant text is dropped, and only as a whole property
// (a comma or the closing brace follows), so that whatever this misreads stays in rather than breaks.
const string = String.raw`(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")`;
const text = String.raw`${string}(?:\s*\+\s*${string})*`;
const list = String.raw`\[\s*${text}(?:\s*,\s*${text})*\s*,?\s*\]\s*\.join\(${string}\)`;
const description = new RegExp(String.raw`\bdescription:\s*(?:${list}|${text})\s*(?:,|(?=\}))`, 'g');

const withoutDescriptions = {
    name: 'without-descriptions',
    setup(build) {
        build.onLoad({ filter: /[\\/]plotly\.js[\\/]src[\\/].*\.js$/ }, async (args) => ({
            contents: (await readFile(args.path, 'utf8')).replace(description, ''),
            loader: 'js',
        }));
    },
};

// Parts that no figure uses, each replaced by a component that does nothing: a tenth of the bytes.
const unused = ['annotations3d', 'images', 'updatemenus', 'sliders', 'rangeslider', 'rangeselector', 'selections'];

const withoutUnused = {
    name: 'without-unused',
    setup(build) {
        const wanted = new RegExp(`(?:^|/)components/(${unused.join('|')})$`);
        build.onResolve({ filter: wanted }, (args) => {
            const [, name] = args.path.match(wanted);
            return /[\\/]plotly\.js[\\/]src[\\/]/.test(args.importer) ? { path: name, namespace: 'unused' } : undefined;
        });
        build.onLoad({ filter: /.*/, namespace: 'unused' }, (args) => ({
            contents: `const nothing = () => {};
                module.exports = { moduleType: 'component', name: ${JSON.stringify(args.path)}, layoutAttributes: {},
                    supplyLayoutDefaults: nothing, draw: nothing };`,
        }));
    },
};

await mkdir(out, { recursive: true });
const built = await esbuild.build({
    stdin: { contents: entry, resolveDir: modules, sourcefile: 'plotly.js' },
    absWorkingDir: modules,
    outfile: path.join(out, 'plotly.min.js'),
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    globalName: 'Plotly',
    target: 'es2022',
    charset: 'utf8',
    // The notices that dependencies ask to keep stand at the end, as in plotly's own builds.
    legalComments: 'eof',
    banner: { js: banner },
    alias: { stream: 'stream-browserify' },
    define: {
        global: 'window',
        'process.env.NODE_DEBUG': 'false',
        // Some dependencies hand themselves to a module loader that the page may have (RequireJS, say)
        // instead of to this bundle. Without the name they cannot even look.
        define: 'undefined',
    },
    plugins: [withoutUnused, withoutDescriptions],
    logLevel: 'error',
});
const js = built.outputFiles[0].text;

await writeFile(path.join(out, 'plotly.min.js'), js);
// plotly puts these rules into the page itself unless it finds an element with the id plotly.js-style-global
// and the class no-inline-styles (src/lib/dom.js): link this file so where the policy forbids inline style.
await writeFile(path.join(out, 'plotly.css'), await readFile(require.resolve('plotly.js/dist/plotly.css')));
