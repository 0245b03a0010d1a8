import { describe, expect, it } from 'vitest'
import { notesOn, parseFiles } from './files'

const only = (...texts: string[]) => {
  const { found, problems } = parseFiles(texts)
  expect(problems).toEqual([])
  expect(found).toHaveLength(1)
  return found[0] ?? expect.fail('nothing was found')
}
const problemsText = (...texts: string[]) => {
  const { found, problems } = parseFiles(texts)
  expect(found).toEqual([])
  return problems.join('\n')
}

const PEM = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----'
const account = {
  type: 'service_account',
  project_id: 'fluid-flow-1',
  private_key_id: 'a1b2',
  private_key: `${PEM}\n`,
  client_email: 'console@fluid-flow-1.iam.gserviceaccount.com',
  client_id: '1234567890',
  auth_uri: 'https://accounts.google.com/o/oauth2/auth',
  token_uri: 'https://oauth2.googleapis.com/token',
  auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
  client_x509_cert_url: 'https://www.googleapis.com/robot/v1/metadata/x509/console',
}

describe('Google Cloud', () => {
  it('reads every field of a service account key, including the key’s line breaks', () => {
    const { provider, data } = only(JSON.stringify(account, null, 2))
    expect(provider).toBe('gcp')
    expect(data).toEqual({ ...account, private_key: PEM })
  })
  it('suggests a service account instead of a personal login', () => {
    expect(problemsText('{"type":"authorized_user","client_id":"x","refresh_token":"y"}')).toContain(
      'service account',
    )
  })
})

describe('Azure', () => {
  it('reads the output of az ad sp create-for-rbac and notes the missing subscription', () => {
    const found = only('{"appId":"app","displayName":"d","password":"p~w","tenant":"ten"}')
    expect(found.data).toEqual({ client_id: 'app', client_secret: 'p~w', tenant_id: 'ten' })
    expect(notesOn(found).join()).toContain('az account show')
  })
  it('reads the subscription from the output of az account show', () => {
    const found = only(
      '{"appId":"app","password":"pw","tenant":"ten"}',
      '{"environmentName":"AzureCloud","id":"sub","isDefault":true,"tenantId":"ten"}',
    )
    expect(found.data).toEqual({
      client_id: 'app',
      client_secret: 'pw',
      tenant_id: 'ten',
      subscription_id: 'sub',
    })
    expect(notesOn(found)).toEqual([])
  })
  it('reads the output format of --sdk-auth', () => {
    const { data } = only(
      '{"clientId":"app","clientSecret":"pw","subscriptionId":"sub","tenantId":"ten","activeDirectoryEndpointUrl":"https://login.microsoftonline.com"}',
    )
    expect(data).toEqual({ client_id: 'app', client_secret: 'pw', subscription_id: 'sub', tenant_id: 'ten' })
  })
})

describe('AWS', () => {
  const profiles = `
# my keys
[default]
aws_access_key_id = AKIAIOSFODNN7EXAMPLE
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG+bPx=RfiCYEXAMPLEKEY

[training]
aws_access_key_id=ASIATRAINING\r
aws_secret_access_key=secret2
aws_session_token=token==
`
  it('offers every profile and notes which keys are temporary', () => {
    const { found } = parseFiles([profiles])
    expect(found.map(({ label, data }) => [label, data])).toEqual([
      [
        'default',
        { access_key: 'AKIAIOSFODNN7EXAMPLE', secret_key: 'wJalrXUtnFEMI/K7MDENG+bPx=RfiCYEXAMPLEKEY' },
      ],
      ['training', { access_key: 'ASIATRAINING', secret_key: 'secret2', session_token: 'token==' }],
    ])
    expect(found.map((one) => notesOn(one).length)).toEqual([0, 1])
  })
  it('reads regions from the config file and ignores profiles without keys', () => {
    const config =
      '[default]\nregion = eu-west-1\n[profile training]\nregion=us-east-2\n[profile sso]\nsso_region=x\nregion=x'
    const { found } = parseFiles([config, profiles])
    expect(found.map(({ label, region }) => [label, region])).toEqual([
      ['default', 'eu-west-1'],
      ['training', 'us-east-2'],
    ])
  })
  it('explains why a role profile cannot be used', () => {
    expect(problemsText('[dev]\nrole_arn = arn:aws:iam::1:role/x\nsource_profile = default')).toContain('dev')
  })
  it.each([
    ['the downloaded table', '\uFEFFAccess key ID,Secret access key\r\nAKIAX,abc/+=\r\n'],
    [
      'the older table',
      'User name,Password,Access key ID,Secret access key,Link\nada,,AKIAX,abc/+=,https://x\n',
    ],
    ['lines for a shell', 'export AWS_ACCESS_KEY_ID="AKIAX"\nexport AWS_SECRET_ACCESS_KEY="abc/+="\n'],
    ['lines for PowerShell', '$Env:AWS_ACCESS_KEY_ID="AKIAX"\n$Env:AWS_SECRET_ACCESS_KEY="abc/+="'],
    ['lines of a profile', 'aws_access_key_id = AKIAX\naws_secret_access_key = abc/+='],
    ['the reply of STS', '{"Credentials":{"AccessKeyId":"AKIAX","SecretAccessKey":"abc/+="}}'],
  ])('reads %s', (_what, text) => {
    const { provider, data } = only(text)
    expect(provider).toBe('aws')
    expect(data).toEqual({ access_key: 'AKIAX', secret_key: 'abc/+=' })
  })
})

describe('Oracle Cloud', () => {
  const config = `[DEFAULT]
user=ocid1.user.oc1..aaaa
fingerprint=20:3b:97:13
tenancy=ocid1.tenancy.oc1..bbbb
region=eu-frankfurt-1
key_file=~/.oci/oci_api_key.pem
[ADMIN]
user=ocid1.user.oc1..cccc
`
  it('reads the config without its key path and notes the missing key', () => {
    const { found } = parseFiles([config])
    expect(found.map(({ label }) => label)).toEqual(['DEFAULT', 'ADMIN'])
    expect(found[0]?.data).toEqual({
      user_ocid: 'ocid1.user.oc1..aaaa',
      tenancy_ocid: 'ocid1.tenancy.oc1..bbbb',
      compartment_ocid: 'ocid1.tenancy.oc1..bbbb',
      fingerprint: '20:3b:97:13',
    })
    expect(found[1]?.data.user_ocid).toBe('ocid1.user.oc1..cccc')
    expect(found[1]?.region).toBe('eu-frankfurt-1')
    expect(found.map((one) => notesOn(one).length)).toEqual([2, 2])
  })
  it('adds a separate key to each profile', () => {
    const { found } = parseFiles([PEM, config])
    expect(found.map(({ data }) => data.key_file)).toEqual([PEM, PEM])
    expect(found.map((one) => notesOn(one).length)).toEqual([1, 1])
  })
  it('extracts a key from surrounding text', () => {
    expect(only(`Bag Attributes\n${PEM}\nOCI_API_KEY\n`).data).toEqual({ key_file: PEM })
  })
  it.each([
    ['a passphrase', PEM.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE'), 'openssl rsa'],
    ['an older passphrase', PEM.replace('\n', '\nProc-Type: 4,ENCRYPTED\n'), 'openssl rsa'],
    [
      'a public key',
      PEM.replaceAll('PRIVATE', 'PUBLIC').replaceAll('PUBLIC KEY', 'PUBLIC KEY'),
      'public key',
    ],
    ['a key for SSH', PEM.replaceAll('PRIVATE', 'OPENSSH PRIVATE'), 'SSH'],
    ['a certificate', PEM.replaceAll('PRIVATE KEY', 'CERTIFICATE'), 'not a private key'],
    ['half a key', PEM.slice(0, 40), 'incomplete'],
  ])('rejects %s with an explanation', (_what, text, message) => {
    expect(problemsText(text)).toContain(message)
  })
})

describe('other text', () => {
  it.each(['{"a":', '{"a":1}', '[1,2]', 'hello', 'a = b', '[x]\ny=z', 'null', '{}', '<html>'])(
    'is rejected: %s',
    (text) => {
      expect(problemsText(text)).not.toBe('')
    },
  )
  it('is reported as empty if there is none', () => {
    expect(problemsText('', ' \n')).toBe('The file is empty.')
  })
  it('does not prevent reading a valid file', () => {
    const { found, problems } = parseFiles(['hello', JSON.stringify(account)])
    expect(found).toHaveLength(1)
    expect(problems).toHaveLength(1)
  })
})
