import { errorOf } from '@flotilla/client/error-reply'
import { messages } from '@flotilla/contract/messages'
import { licenseProblems, type LicenseProblem as Reason } from '@flotilla/contract/site/license'

export type LicenseProblem = { title: string; message: string; hints: readonly string[] }

const isReason = (reason: string | undefined): reason is Reason =>
  reason !== undefined && Object.hasOwn(licenseProblems, reason)

/** The problem in an unsuccessful license response, with its cause if the server knows it. */
export async function licenseProblem(response: Response): Promise<LicenseProblem> {
  const { code, message, reason } = await errorOf(response.clone())
  if (code !== 'license_invalid') return { title: message, message: '', hints: [] }
  return {
    title: messages.licenseField,
    message: messages.licenseInvalid,
    hints: isReason(reason) ? [licenseProblems[reason]] : [],
  }
}
