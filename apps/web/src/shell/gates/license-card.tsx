import { messages } from '@flotilla/contract/messages'
import { useConfig } from '../../api/config'
import type { LicenseProblem } from '../../api/license'
import { WholePage } from '../frame/whole-page'

export default function LicenseCard({ problem: { title, message, hints } }: { problem: LicenseProblem }) {
  const { contactLink } = useConfig().branding
  return (
    <WholePage
      title={messages.licenseHeading}
      action={{ label: 'Try again', onClick: () => location.reload() }}
      beside={
        <a href={contactLink} className="text-accent underline-offset-2 hover:underline">
          Contact support
        </a>
      }
    >
      <p className="font-medium text-ink-1">{title}</p>
      {message && <p className="mt-1">{message}</p>}
      {hints.length > 0 && (
        <ul className="mt-2 list-disc pl-5">
          {hints.map((hint) => (
            <li key={hint}>{hint}</li>
          ))}
        </ul>
      )}
    </WholePage>
  )
}
