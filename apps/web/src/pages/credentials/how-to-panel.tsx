import type { ProviderId } from '@flotilla/contract/site/config'
import { CopyText } from '../../ui/text/copy-text'
import { howTo } from './how-to'

/** Explains how to create a key and which permissions it needs. */
export function HowToPanel({ provider }: { provider: ProviderId }) {
  const { where, command, rights, file } = howTo[provider]
  return (
    <dl className="flex flex-col gap-3 text-body">
      <div>
        <dt className="font-medium">Where to create it</dt>
        <dd className="mt-0.5 text-ink-2">{where}</dd>
        {command && (
          <dd className="mt-1.5 rounded-control border border-line-1 bg-surface-1 px-2.5 py-1.5">
            <CopyText text={command} label="command" />
          </dd>
        )}
      </div>
      <div>
        <dt className="font-medium">Permissions it needs</dt>
        <dd className="mt-0.5 text-ink-2">
          <ul className="list-disc pl-4">
            {rights.map((right) => (
              <li key={right}>{right}</li>
            ))}
          </ul>
        </dd>
      </div>
      <div>
        <dt className="font-medium">File to paste or drop</dt>
        <dd className="mt-0.5 text-ink-2 first-letter:uppercase">{file}</dd>
      </div>
    </dl>
  )
}
