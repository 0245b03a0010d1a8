import { Callout } from '../../ui/feedback/callout'

interface Props {
  save: { isPending: boolean; isSuccess: boolean; error: { message: string } | null }
}

/** The save status of settings that are saved as soon as they change. */
export function SaveStatus({ save }: Props) {
  return (
    <>
      <p role="status" className="text-label text-ink-3">
        {save.isPending ? 'Saving…' : save.isSuccess ? 'Saved' : 'Changes apply immediately.'}
      </p>
      {save.error && (
        <Callout tone="red" title={save.error.message} alert>
          Your choice was not saved. Try again.
        </Callout>
      )}
    </>
  )
}
