import { spawn } from 'node:child_process'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { busyDetach, extendMoto, noAttachment, withBusyDisks, type Beside } from './moto-extension'
import { until } from '../until'

export type Moto = Beside & {
  /** The endpoint for clients: moto with the extension in front of it. */
  url: string
  /** Turns moto's authentication and IAM checks on or off. */
  checkRights(on: boolean): Promise<void>
  /** Creates an IAM user that may perform these actions, and returns its keys. */
  person(name: string, actions: string[]): Promise<{ access_key: string; secret_key: string }>
  /** Creates an instance profile with a role of the same name. */
  instanceProfile(name: string): Promise<void>
  close(): Promise<void>
}

/** Starts the real moto, which implements AWS's API. `images` is a file of public images to use instead of its own. */
export async function startMoto({ images }: { images?: string } = {}): Promise<Moto> {
  const child = spawn(process.env.MOTO_SERVER || 'moto_server', ['-H', '127.0.0.1', '-p', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...(images !== undefined && { MOTO_AMIS_PATH: images }) },
  })
  let output = ''
  let failure: Error | undefined
  child.once('error', (error) => (failure = error))
  child.stderr.on('data', (piece: Buffer) => (output += piece.toString()))
  const moto = await until(() => {
    if (failure || child.exitCode !== null)
      throw new Error(`moto did not start: ${failure?.message ?? output}`)
    return /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.[1]
  })

  const beside: Beside = {
    fastRestore: new Map(),
    placementGroups: new Map(),
    priceList: null,
    quotas: {},
    disksAreMounted: false,
    busyDisks: new Set(),
  }
  const front = http.createServer((request, response) => void pass(request, response))
  async function pass(request: http.IncomingMessage, response: http.ServerResponse) {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = Buffer.concat(pieces)
    const form = new URLSearchParams(body.toString())
    const own = (await refusedDetach(form, request.headers)) ?? extendMoto(beside, request, body.toString())
    if (own) return response.writeHead(own.status, { 'content-type': own.type }).end(own.body)
    const { method, url, headers } = request
    const call = http.request(new URL(url ?? '/', moto), { method, headers }, (answer) => {
      // Moto sends two date headers, which the AWS clients cannot parse.
      const { date: _two, ...rest } = answer.headers
      if (beside.busyDisks.size === 0 || form.get('Action') !== 'DescribeVolumes') {
        response.writeHead(answer.statusCode ?? 500, rest)
        return answer.pipe(response)
      }
      const { 'content-length': _other, ...kept } = rest
      response.writeHead(answer.statusCode ?? 500, kept)
      void text(answer).then((whole) => response.end(withBusyDisks(beside, whole)))
    })
    call.on('error', (error) => response.destroy(error))
    call.end(body)
  }
  async function refusedDetach(form: URLSearchParams, { authorization = '' }: http.IncomingHttpHeaders) {
    const call = async (fields: Record<string, string>) => {
      const answer = await fetch(moto, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ Version: '2016-11-15', ...fields }),
      })
      return answer.text()
    }
    const stateOf = async (id: string) =>
      /<name>([a-z-]+)<\/name>/.exec(await call({ Action: 'DescribeInstances', 'InstanceId.1': id }))?.[1]
    if (beside.disksAreMounted && form.get('Action') === 'DetachVolume') {
      if ((await stateOf(form.get('InstanceId') ?? '')) !== 'running') return undefined
      beside.busyDisks.add(form.get('VolumeId') ?? '')
      return busyDetach(form)
    }
    if (form.get('Action') !== 'DetachNetworkInterface') return undefined
    const attached = await call({
      Action: 'DescribeNetworkInterfaces',
      'Filter.1.Name': 'attachment.attachment-id',
      'Filter.1.Value.1': form.get('AttachmentId') ?? '',
    })
    const machine = /<instanceId>(i-\w+)</.exec(attached)?.[1]
    return machine && (await stateOf(machine)) === 'terminated' ? noAttachment : undefined
  }
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))

  const iam = async (action: string, fields: Record<string, string>) => {
    const answer = await fetch(moto, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        // Moto needs only the service name in it while its checks are off.
        authorization:
          'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=0',
      },
      body: new URLSearchParams({ Action: action, Version: '2010-05-08', ...fields }),
    })
    const reply = await answer.text()
    if (!answer.ok) throw new Error(reply)
    return reply
  }
  const between = (whole: string, name: string) =>
    new RegExp(`<${name}>(.*?)</${name}>`).exec(whole)?.[1] ?? ''

  return Object.assign(beside, {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    async checkRights(on: boolean) {
      await fetch(`${moto}/moto-api/reset-auth`, { method: 'POST', body: on ? '0' : 'inf' })
    },
    async person(name: string, actions: string[]) {
      await iam('CreateUser', { UserName: name })
      const policy = { Effect: 'Allow', Action: actions, Resource: '*' }
      const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [policy] })
      await iam('PutUserPolicy', { UserName: name, PolicyName: 'may', PolicyDocument })
      const keys = await iam('CreateAccessKey', { UserName: name })
      return {
        access_key: between(keys, 'AccessKeyId'),
        secret_key: between(keys, 'SecretAccessKey').replaceAll('&amp;', '&'),
      }
    },
    async instanceProfile(name: string) {
      await iam('CreateRole', { RoleName: name, AssumeRolePolicyDocument: '{}' })
      await iam('CreateInstanceProfile', { InstanceProfileName: name })
      await iam('AddRoleToInstanceProfile', { InstanceProfileName: name, RoleName: name })
    },
    async close() {
      front.closeAllConnections()
      await new Promise<void>((resolve) => front.close(() => resolve()))
      const ended = new Promise((resolve) => child.once('close', resolve))
      if (child.exitCode === null && child.kill()) await ended
    },
  })
}
