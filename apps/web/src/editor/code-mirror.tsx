import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, indentUnit } from '@codemirror/language'
import { Compartment, EditorState } from '@codemirror/state'
import type { Extension } from '@codemirror/state'
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { CodeEditorProps } from './editor-props'
import { highlighting, loadLanguage } from './highlight'

const editorTheme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink-1)', backgroundColor: 'transparent', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'inherit', lineHeight: '20px', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink-1)', padding: '8px 0' },
  '.cm-line': { padding: '0 12px 0 8px' },
  '.cm-gutters': {
    backgroundColor: 'var(--surface-1)',
    color: 'var(--ink-3)',
    borderRight: '1px solid var(--line-1)',
  },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 12px', minWidth: '36px' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--ink-1) 4%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--ink-1)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 22%, transparent)',
  },
  '& .cm-content ::selection, &.cm-focused .cm-content ::selection': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent)',
  },
})

/** The parts of the editor that change during its lifetime. */
type Parts = { language: Compartment; access: Compartment; activeLanguage: Extension }

/**
 * Drawn in a shadow root: there, the library adopts its style sheets; in the page itself, it would add a <style>
 * element, which the content security policy blocks.
 */
export default function CodeMirror(props: CodeEditorProps) {
  const { value, language } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const parts = useRef<Parts>({ language: new Compartment(), access: new Compartment(), activeLanguage: [] })
  const latest = useRef(props)
  // A text keeps its original line endings; inside the editor, all are the same.
  const lineBreak = useRef(lineBreakOf(value))
  useLayoutEffect(() => {
    latest.current = props
  })

  useLayoutEffect(() => {
    const element = host.current
    if (!element) return
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    const made = new EditorView({ root, parent: root, state: stateOf(parts.current, latest, lineBreak) })
    view.current = made
    const { inserter } = latest.current
    if (inserter)
      inserter.current = (text) => made.dispatch(made.state.replaceSelection(text), { scrollIntoView: true })
    return () => {
      if (inserter) inserter.current = null
      made.destroy()
      view.current = null
    }
  }, [])

  useLayoutEffect(() => {
    // Only values set from outside, such as a template or another file. Typed text is already in the editor.
    const editor = view.current
    if (!editor) return
    lineBreak.current = lineBreakOf(value)
    if (editor.state.doc.toString() === value.replaceAll('\r\n', '\n')) return
    // Dispatched as a change, so that the user can undo it.
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])

  useEffect(() => {
    let stale = false
    const set = (extension: Extension) => {
      if (stale) return
      parts.current.activeLanguage = extension
      view.current?.dispatch({ effects: parts.current.language.reconfigure(extension) })
    }
    if (language) void loadLanguage(language).then(set)
    else set([])
    return () => {
      stale = true
    }
  }, [language])

  const { label, problem, readOnly } = props
  useEffect(() => {
    view.current?.dispatch({
      effects: parts.current.access.reconfigure(accessOf({ label, problem, readOnly })),
    })
  }, [label, problem, readOnly])

  return <div ref={host} className="h-full" />
}

const accessOf = ({
  label,
  problem,
  readOnly,
}: Pick<CodeEditorProps, 'label' | 'problem' | 'readOnly'>): Extension => [
  EditorState.readOnly.of(readOnly ?? false),
  EditorView.contentAttributes.of({
    'aria-label': label,
    // Editable elements are focusable anyway, but accessibility checkers look for the attribute.
    tabindex: '0',
    ...(readOnly && { 'aria-readonly': 'true' }),
    ...(problem && { 'aria-invalid': 'true', 'aria-description': problem }),
  }),
]

/**
 * Handles typing over a selection. The browser itself would preserve the old style with a style attribute, which the
 * content security policy reports as a violation.
 */
function typeOverSelection(event: InputEvent, view: EditorView): boolean {
  const { state } = view
  const typed = event.inputType === 'insertText' ? event.data : null
  if (!typed || state.selection.main.empty || state.readOnly || view.composing) return false
  event.preventDefault()
  view.dispatch(state.replaceSelection(typed), { scrollIntoView: true, userEvent: 'input.type' })
  return true
}

const lineBreakOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

type Held<T> = { current: T }

function stateOf(parts: Parts, latest: Held<CodeEditorProps>, lineBreak: Held<string>): EditorState {
  return EditorState.create({
    doc: latest.current.value,
    extensions: [
      lineNumbers(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      history(),
      bracketMatching(),
      indentUnit.of('  '),
      latest.current.wrap ? EditorView.lineWrapping : [],
      EditorState.tabSize.of(4),
      highlighting,
      editorTheme,
      parts.language.of(parts.activeLanguage),
      parts.access.of(accessOf(latest.current)),
      keymap.of([
        {
          key: 'Mod-s',
          run: () => {
            latest.current.onSave?.()
            return latest.current.onSave !== undefined
          },
        },
        ...defaultKeymap,
        ...historyKeymap,
        // Esc and then Tab leaves the editor.
        indentWithTab,
      ]),
      EditorView.domEventHandlers({ blur: () => latest.current.onBlur?.(), beforeinput: typeOverSelection }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged)
          latest.current.onChange?.(update.state.doc.sliceString(0, undefined, lineBreak.current))
      }),
    ],
  })
}
