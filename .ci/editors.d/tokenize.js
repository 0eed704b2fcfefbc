// Tokenizes files by the grammars of editors/; see .ci/editors.
const fs = require("fs");
const path = require("path");
const textmate = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");

const KINDS = [
  ["source.visa", "editors/visa.tmLanguage.json", [".visaasm", ".isaasm"]],
  ["source.gen-listing", "editors/gen-listing.tmLanguage.json", [".asm"]],
];
// Lines with a token and a part of its scope.
const KNOWN = [
  ["source.visa", "    (P1) add (M1, 8) V32(0,0)<1> V33(0,0)<1;1,0> 0x5:d", { add: "mnemonic", V32: "variable", "0x5:d": "numeric", M1: "mask" }],
  ["source.visa", ".decl V32 v_type=G type=d num_elts=8 align=GRF", { ".decl": "directive", v_type: "parameter" }],
  ["source.gen-listing", "(W&~f0.1) add (8|M0)  (lt)f1.0  r5.0<1>:f  r6.0<8;8,1>:f  -1.5:f  {Compacted,@1}",
    { add: "mnemonic", "f0.1": "flag", lt: "condition", "r5.0": "register", ":f": "type", "-1.5": "numeric", "@1": "scoreboard", Compacted: "option" }],
  ["source.gen-listing", "        send.ugm (16|M0)  r4  r[s0.0]  0x0  0x04001584  {$3} // load", { "send.ugm": "mnemonic", "s0.0": "address", $3: "scoreboard" }],
];

function files(folder, found = []) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== "node_modules") files(place, found);
    else if (entry.isFile()) found.push(place);
  }
  return found;
}

async function main(folders) {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer;
  await oniguruma.loadWASM(wasm);
  const onigLib = Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  });
  const loadGrammar = async (scope) => {
    const [, file] = KINDS.find(([name]) => name === scope);
    return textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file);
  };
  const registry = new textmate.Registry({ onigLib, loadGrammar });
  let wrong = 0;
  for (const [scope, line, tokens] of KNOWN) {
    const grammar = await registry.loadGrammar(scope);
    const found = grammar.tokenizeLine(line, textmate.INITIAL).tokens;
    for (const [text, part] of Object.entries(tokens)) {
      const token = found.find((t) => line.slice(t.startIndex, t.endIndex).trim() === text);
      if (!token || !token.scopes.some((name) => name.includes(part))) {
        console.error(`editors: \`${text}\` of \`${line}\` is ${token ? token.scopes.join(" ") : "no token"}, not ${part}`);
        wrong++;
      }
    }
  }
  for (const [scope, , extensions] of KINDS) {
    const grammar = await registry.loadGrammar(scope);
    let lines = 0, listed = 0;
    for (const file of folders.flatMap((folder) => files(folder)).filter((name) => extensions.includes(path.extname(name)))) {
      listed++;
      let stack = textmate.INITIAL;
      for (const [number, line] of fs.readFileSync(file, "utf8").split("\n").entries()) {
        const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
        stack = ruleStack;
        lines++;
        for (const token of tokens) {
          const text = line.slice(token.startIndex, token.endIndex).trim();
          if (text && token.scopes.length < 2 && wrong++ < 10) console.error(`editors: ${file}:${number + 1}: \`${text}\` has no scope`);
        }
      }
    }
    console.log(`editors: ${scope}: ${listed} files, ${lines} lines`);
    if (listed === 0) wrong++;
  }
  process.exitCode = wrong ? 1 : 0;
}

main(process.argv.slice(2));
