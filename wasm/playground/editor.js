// The editor: CodeMirror with completion and hover of numjit's functions. Bundled with what it imports by make_playground.mjs.
import { autocompletion } from '@codemirror/autocomplete';
import { javascript } from '@codemirror/lang-javascript';
import { HighlightStyle, ensureSyntaxTree, syntaxHighlighting } from '@codemirror/language';
import { Prec, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, hoverTooltip, keymap } from '@codemirror/view';
import { basicSetup } from 'codemirror';
import { tags } from '@lezer/highlight';

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--keyword)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--number)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--string)' },
  { tag: tags.comment, color: 'var(--comment)', fontStyle: 'italic' },
]);

const setFaulty = StateEffect.define();
/** The line of an error, until the text changes. */
const faulty = StateField.define({
  create: () => Decoration.none,
  update(lines, change) {
    let now = change.docChanged ? Decoration.none : lines;
    for (const effect of change.effects) {
      if (!effect.is(setFaulty)) continue;
      const line = effect.value > 0 && effect.value <= change.state.doc.lines ? change.state.doc.line(effect.value) : null;
      now = line === null ? Decoration.none : Decoration.set([Decoration.line({ class: 'cm-faulty' }).range(line.from)]);
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** What stands before the cursor: 'np.linalg.' names a family; another name and a dot may be an array. */
function familyOf(text, functions) {
  const found = /([\w$.)\]]*)\.\s*$/.exec(text)?.[1];
  if (found === undefined) return null;
  return Object.hasOwn(functions, found) ? functions[found] : functions.array;
}

function aboutDom({ name, signature, text }) {
  const box = document.createElement('div'), code = document.createElement('code'), words = document.createElement('div');
  box.className = 'about-function';
  code.textContent = signature ?? name;
  words.textContent = text;
  box.append(code, words);
  return box;
}

const completing = (functions) => (context) => {
  const word = context.matchBefore(/[\w$]*/), family = familyOf(context.state.sliceDoc(Math.max(0, word.from - 60), word.from), functions);
  if (family === null && (!context.explicit || word.from === word.to)) return null;
  const names = family ?? functions.globals;
  return { from: word.from, validFor: /^[\w$]*$/, options: names.map((entry) => ({ label: entry.name, type: 'function', detail: entry.signature?.slice(entry.name.length), info: entry.text })) };
};

const hovering = (functions) => hoverTooltip((view, position) => {
  const word = view.state.wordAt(position);
  if (word === null) return null;
  const name = view.state.sliceDoc(word.from, word.to), before = view.state.sliceDoc(Math.max(0, word.from - 60), word.from);
  const family = familyOf(before, functions) ?? functions.globals, entry = family.find((one) => one.name === name);
  return entry ? { pos: word.from, end: word.to, above: true, create: () => ({ dom: aboutDom(entry) }) } : null;
});

/** Makes the editor: { text, setText(), focus(), markLine(), goTo(), lastExpression() }. `keys`: { run, stop }. */
export function makeEditor(parent, text, functions, keys) {
  const bind = (run) => () => {
    run();
    return true;
  };
  const view = new EditorView({
    parent, doc: text,
    extensions: [
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run: bind(keys.run) }, { key: 'Mod-.', run: bind(keys.stop) }])),
      basicSetup, javascript(), syntaxHighlighting(colours), faulty,
      autocompletion({ override: [completing(functions)] }), hovering(functions),
      EditorView.contentAttributes.of({ 'aria-label': 'program' }), EditorView.lineWrapping,
    ],
  });
  return {
    get text() { return view.state.doc.toString(); },
    setText(given) { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: given } }); },
    focus: () => view.focus(),
    markLine: (line) => view.dispatch({ effects: setFaulty.of(line ?? 0) }),
    goTo(line) {
      const { from } = view.state.doc.line(Math.min(line, view.state.doc.lines));
      view.dispatch({ selection: { anchor: from }, scrollIntoView: true, effects: setFaulty.of(line) });
      view.focus();
    },
    /** Where the last statement lies, if it is an expression that shows nothing by itself: { from, to }. */
    lastExpression() {
      const last = ensureSyntaxTree(view.state, view.state.doc.length, 2000)?.topNode.lastChild; // the editor may not have come so far
      if (last?.name !== 'ExpressionStatement') return null;
      const [from, to] = [last.from, last.to], source = view.state.sliceDoc(from, to);
      if (/^\s*(show|race|console|await)\b/.test(source) || last.firstChild?.name === 'AssignmentExpression') return null;
      return { from, to: source.endsWith(';') ? to - 1 : to };
    },
  };
}
