import { CopyText } from './copy-text'

/** A public key that the user is asked to copy into authorized_keys. */
export const PublicKey = ({ text }: { text: string }) => (
  <span className="mt-1.5 flex min-w-0 rounded-control border border-line-1 bg-surface-1 px-3 py-2 text-left text-ink-1">
    <CopyText wrap label="public key" text={text} />
  </span>
)
