import { accountList, choice, type AccountList } from '../../account-lists'
import type { DriverOptions } from '../../provider'
import { signedCall } from './signed-call'

/** IAM has one endpoint per AWS partition, regardless of the region. */
function placeOf(region: string): { url: string; region: string } {
  if (region.startsWith('cn-'))
    return { url: 'https://iam.cn-north-1.amazonaws.com.cn', region: 'cn-north-1' }
  if (region.startsWith('us-gov-'))
    return { url: 'https://iam.us-gov.amazonaws.com', region: 'us-gov-west-1' }
  return { url: 'https://iam.amazonaws.com', region: 'us-east-1' }
}

/** The text of the first such element that contains no other elements. */
const textIn = (xml: string, element: string): string =>
  new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? ''
const refusal = {
  nameIn: (xml: string) => textIn(xml, 'Code'),
  messageIn: (xml: string) => textIn(xml, 'Message'),
}

async function* pages(options: DriverOptions, signal: AbortSignal) {
  const { url, region } = placeOf(options.region)
  const form = { Action: 'ListInstanceProfiles', Version: '2010-05-08', MaxItems: '200' }
  for (let marker = ''; ;) {
    const call = {
      options,
      url: options.endpoint ?? url,
      service: 'iam',
      region,
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: new URLSearchParams({ ...form, ...(marker && { Marker: marker }) }).toString(),
      signal,
    }
    const xml = await signedCall(call, refusal)
    yield xml
    marker = textIn(xml, 'IsTruncated') === 'true' ? textIn(xml, 'Marker') : ''
    if (marker === '') return
  }
}

/** The outermost elements only: a profile contains a list of its roles. */
function membersIn(xml: string): string[] {
  const found: string[] = []
  let depth = 0
  let start = 0
  for (const { 0: tag, index } of xml.matchAll(/<\/?member>/g)) {
    if (tag === '<member>') {
      if (depth++ === 0) start = index
    } else if (--depth === 0) found.push(xml.slice(start, index))
  }
  return found
}

/** The instance profiles that machines can have. */
export const instanceProfiles = (options: DriverOptions): AccountList =>
  accountList(
    'iam:ListInstanceProfiles',
    (signal) => pages(options, signal),
    (xml) =>
      membersIn(xml).map((profile) => {
        const role = textIn(profile, 'RoleName')
        return choice(textIn(profile, 'InstanceProfileName'), '', role ? `role ${role}` : 'without a role')
      }),
  )
