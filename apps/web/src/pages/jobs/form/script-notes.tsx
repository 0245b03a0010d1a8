import { Callout } from '../../../ui/feedback/callout'

/** Notes on how the script's own directives are handled. Renders nothing if it has none. */
export function ScriptNotes({ label, notes }: { label: string; notes: readonly string[] }) {
  if (!notes.length) return null
  return (
    <Callout tone="gray">
      <ul aria-label={label} className="flex flex-col gap-1">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </Callout>
  )
}
