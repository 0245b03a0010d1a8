import { Callout } from '../../../ui/feedback/callout'

/** What happens to the script's own directives; nothing if it has none. */
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
