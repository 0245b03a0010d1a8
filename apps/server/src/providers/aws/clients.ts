import { EC2Client } from '@aws-sdk/client-ec2'
import { STSClient } from '@aws-sdk/client-sts'
import type { DriverOptions } from '../provider'

/** Credentials and endpoint of the AWS clients. */
export const settingsOf = ({ credential, region, endpoint }: DriverOptions) => {
  const { access_key = '', secret_key = '', session_token } = credential
  return {
    region,
    ...(endpoint !== undefined && { endpoint }),
    credentials: {
      accessKeyId: access_key,
      secretAccessKey: secret_key,
      ...(session_token && { sessionToken: session_token }),
    },
    requestHandler: { connectionTimeout: 10_000, requestTimeout: 60_000, throwOnRequestTimeout: true },
  }
}

export const clientsOf = (options: DriverOptions) => ({
  ec2: new EC2Client(settingsOf(options)),
  sts: new STSClient(settingsOf(options)),
})

/** Whether AWS reports that the resource does not exist: InvalidInstanceID.NotFound, InvalidPlacementGroup.Unknown. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof Error && /\.(NotFound(Exception)?|Unknown)$|^NatGatewayNotFound$/.test(error.name)
