import { accountList, choice, type AccountList } from '../account-lists'
import type { DriverOptions } from '../provider'
import { signedCall, textIn } from './signed-call'

/** One for each partition of AWS, whatever the region. */
function placeOf(region: string): { url: string; region: string } {
  if (region.startsWith('cn-'))
    return { url: 'https://iam.cn-north-1.amazonaws.com.cn', region: 'cn-north-1' }
  if (region.startsWith('us-gov-'))
    return { url: 'https://iam.us-gov.amazonaws.com', region: 'us-gov-west-1' }
  return { url: 'https://iam.amazonaws.com', region: 'us-east-1' }
}

async function* pages({ credential, region, endpoint }: DriverOptions, signal: AbortSignal) {
  const place = placeOf(region)
  const form = { Action: 'ListInstanceProfiles', Version: '2010-05-08', MaxItems: '200' }
  for (let marker = ''; ;) {
    const xml = await signedCall({
      credential,
      ...place,
      url: endpoint ?? place.url,
      service: 'iam',
      form: { ...form, ...(marker && { Marker: marker }) },
      signal,
    })
    yield xml
    marker = textIn(xml, 'IsTruncated') === 'true' ? textIn(xml, 'Marker') : ''
    if (marker === '') return
  }
}

/** The outer ones: a profile has a list of its roles in it. */
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

/** What machines can act as. */
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
