import { errorOf } from '@flotilla/client/error-reply'
import { messages } from '@flotilla/contract/messages'

export type LicenseProblem = { title: string; message: string; hints: readonly string[] }

/** The problem in an unsuccessful license response. */
export async function licenseProblem(response: Response): Promise<LicenseProblem> {
  const { code, message } = await errorOf(response.clone())
  if (code === 'license_invalid')
    return { title: messages.licenseField, message: messages.licenseInvalid, hints: [] }
  return { title: message, message: '', hints: [] }
}
