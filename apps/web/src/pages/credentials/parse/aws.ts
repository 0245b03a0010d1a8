import type { Found, Parsed } from './found'
import { present, problem } from './found'
import type { Ini } from './ini'

const aws = (label: string | null, data: Record<string, string>, region?: string): Found => ({
  provider: 'aws',
  label,
  data,
  ...(region && { region }),
})

export const awsNotes = ({ access_key, session_token }: Record<string, string>): string[] =>
  session_token
    ? [
        'These keys are temporary. Once they expire, anything created with them cannot be changed or destroyed.',
      ]
    : access_key?.startsWith('ASIA')
      ? ['The key ID shows that these keys are temporary. They also need their session token.']
      : []

/** Parses ~/.aws/credentials and ~/.aws/config. */
export function parseAwsProfiles(ini: Ini): Parsed {
  const found: Found[] = []
  const without: string[] = []
  for (const [section, values] of ini) {
    const label = section.replace(/^profile\s+/, '')
    const data = present({
      access_key: values.aws_access_key_id,
      secret_key: values.aws_secret_access_key,
      session_token: values.aws_session_token,
    })
    if (Object.keys(data).length > 0 || values.region) found.push(aws(label, data, values.region))
    else without.push(label)
  }
  return found.length > 0
    ? { found, problems: [] }
    : problem(
        `No keys in ${without.join(', ')}. Profiles for roles or single sign-on have no keys of their own.`,
      )
}

/** Parses the file that the AWS console offers when a key is created: `Access key ID,Secret access key`. */
export function parseAwsCsv(text: string): Parsed {
  const [heading = '', ...lines] = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n?|\n/)
    .filter((line) => line.trim())
  const columns = heading.split(',').map((name) => name.trim().toLowerCase())
  const cell = (line: string[], name: string) => line[columns.indexOf(name)]
  const found = lines.map((line) => {
    const cells = line.split(',')
    const data = present({
      access_key: cell(cells, 'access key id'),
      secret_key: cell(cells, 'secret access key'),
    })
    return aws(cell(cells, 'user name') ?? data.access_key?.slice(-4) ?? null, data)
  })
  return found.length > 0 ? { found, problems: [] } : problem('The file contains no access keys.')
}

export const isAwsCsv = (text: string): boolean =>
  /access key id\s*,.*secret access key/i.test(text.trimStart().split('\n', 1)[0] ?? '')

/** Parses the output of `aws sts assume-role` and `aws configure export-credentials`. */
export function parseAwsJson(json: Record<string, unknown>): Parsed | null {
  const inner = typeof json.Credentials === 'object' && json.Credentials ? json.Credentials : json
  if (!('AccessKeyId' in inner)) return null
  const text = (name: string): string | undefined => {
    const value: unknown = Reflect.get(inner, name)
    return typeof value === 'string' ? value : undefined
  }
  const data = present({
    access_key: text('AccessKeyId'),
    secret_key: text('SecretAccessKey'),
    session_token: text('SessionToken'),
  })
  return { found: [aws(null, data)], problems: [] }
}
