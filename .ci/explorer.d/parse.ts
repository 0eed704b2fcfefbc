// Parses listings with Compiler Explorer's parser, and compares what it says of lines and labels with the listings.
//
//     parse.js LISTING SOURCE [LISTING SOURCE...]
import {readFileSync} from 'node:fs';

import {AsmParser} from './lib/parsers/asm-parser.js';

const filters = {
    labels: true,
    directives: true,
    commentOnly: true,
    trim: false,
    binary: false,
    intel: false,
    demangle: false,
    libraryCode: false,
    execute: false,
    optOutput: false,
    binaryObject: false,
    debugCalls: false,
    dontMaskFilenames: true,
};

let failures = 0;
function fail(what: string) {
    failures++;
    if (failures < 10) console.error(what);
}

let instructions = 0;
const files = process.argv.slice(2);
for (let n = 0; n < files.length; n += 2) {
    const [listing, source] = [files[n], files[n + 1]];
    const text = readFileSync(listing, 'utf8');
    const lines = readFileSync(source, 'utf8').split('\n');
    // The instructions of the listing with the line of the last directive before each.
    const expected: {text: string; line: number}[] = [];
    let line = 0;
    for (const one of text.split('\n')) {
        const loc = one.match(/^\t\.loc\t1 (\d+) 0$/);
        if (loc) line = Number(loc[1]);
        // Code before the first directive, which loads arguments, has none.
        else if (line > 0 && /^ *[a-z]/.test(one)) expected.push({text: one.trimEnd(), line});
    }
    const found = new AsmParser().process(text, filters as never);
    const parsed = found.asm.filter(one => one.source);
    instructions += parsed.length;
    if (parsed.length !== expected.length || parsed.length === 0)
        fail(`${listing}: ${parsed.length} instructions with a source, ${expected.length} in the listing`);
    for (let at = 0; at < Math.min(parsed.length, expected.length); at++) {
        const one = parsed[at];
        if (one.text.trimEnd() !== expected[at].text || one.source?.line !== expected[at].line)
            fail(`${listing}: ${one.text}: line ${one.source?.line}, not ${expected[at].line}`);
        if (!lines[expected[at].line - 1]?.trim())
            fail(`${listing}: ${source} has nothing in line ${expected[at].line}`);
    }
    // Kernels are labels; so are the targets of branches.
    const kernels = [...text.matchAll(/^\t\.globl\t"(.*)"$/gm)].map(match => match[1]);
    for (const kernel of kernels) {
        if (!found.labelDefinitions?.[`"${kernel}"`] && !found.labelDefinitions?.[kernel]) fail(`${listing}: no label ${kernel}`);
    }
    const targets = new Set([...text.matchAll(/ (L\d+)\b(?!:)/g)].map(match => match[1]));
    for (const target of targets) {
        if (!found.labelDefinitions?.[target]) fail(`${listing}: no label ${target}`);
    }
    if (found.asm.some(one => /^\s*\./.test(one.text))) fail(`${listing}: a directive is left`);
}
if (failures > 0) process.exit(1);
console.log(`explorer: ${files.length / 2} listings, ${instructions} instructions: each with its line`);
