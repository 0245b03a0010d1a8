import type { SiteConfig } from '@flotilla/contract/site/settings'
import type { ReactNode } from 'react'

/** Props of a field. A field that is set by a file on the server is disabled, with a hint that names the file. */
export function lockOf(
  { setBy }: Pick<SiteConfig, 'setBy'>,
  path: string,
  hint?: ReactNode,
): { disabled: boolean; hint: ReactNode } {
  const file = setBy[path]
  return file === undefined ? { disabled: false, hint } : { disabled: true, hint: <SetBy file={file} /> }
}

export const SetBy = ({ file }: { file: string }) => (
  <>
    Set by <code className="font-mono text-label">{file}</code> on the server. Change it there.
  </>
)
