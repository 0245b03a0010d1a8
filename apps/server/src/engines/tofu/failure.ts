import { EngineError, type FailureCode } from '../engine'
import type { Diagnostic } from './events'

interface Kind {
  code: FailureCode
  pattern: RegExp
  message: string
  advice?: string
}

/**
 * The engine and the clouds report failures only as text and error names; this is the only place that interprets them.
 * The first match wins. Error names are in this order: AWS, Azure, GCP, Oracle and MAAS, then the engine's own.
 */
const kinds: Kind[] = [
  {
    code: 'stale',
    pattern: /Saved plan is stale|Saved plan does not match|Mismatch between input and plan variable value/i,
    message: 'The plan is out of date because something changed since. Plan again.',
  },
  {
    code: 'locked',
    pattern: /Error acquiring the state lock/i,
    message: 'Another engine is working on the same cluster.',
  },
  {
    // Usually a full disk; the state is in a separate file, which the next run restores.
    code: 'failed',
    pattern: /Failed to (?:save|persist) state/i,
    message: 'The server could not save the state of what it created in the cloud.',
    advice: 'Nothing is lost. Check whether the server’s disk is full, then try again.',
  },
  {
    code: 'badCredential',
    pattern:
      /InvalidClientTokenId|AuthFailure|SignatureDoesNotMatch|UnrecognizedClient|ExpiredToken|UnauthorizedOperation|no valid credential|AADSTS\d|AuthorizationFailed|AuthenticationFailed|InvalidAuthenticationToken|invalid_client|unauthorized_client|could not find default credentials|invalid_grant|PERMISSION_DENIED|insufficientPermissions|NotAuthenticated|NotAuthorizedOrNotFound|can not create client|Unauthorized: |401 Unauthorized|status(?: code)?:? 40[13]\b/i,
    message: 'The cloud rejected the credential, or the credential lacks a required permission.',
    advice: 'Test the credential on its page to see which permissions are missing.',
  },
  {
    // Before the quotas, because AWS calls this a limit of requests.
    code: 'throttled',
    pattern: /RequestLimitExceeded|Throttling(?:Exception)?\b|rateLimitExceeded|TooManyRequests/,
    message: 'The cloud is rate limiting requests.',
    advice: 'Try again in a few minutes.',
  },
  {
    code: 'unsupported',
    pattern:
      /Unsupported: Your requested instance type|not supported in your requested Availability Zone|does not exist in zone/i,
    message: 'The cloud does not offer this size there.',
    advice: 'Choose another zone or size.',
  },
  {
    code: 'capacity',
    pattern:
      /InsufficientInstanceCapacity|InsufficientHostCapacity|InsufficientFreeAddresses|SkuNotAvailable|AllocationFailed|OverconstrainedAllocation|RESOURCE_POOL_EXHAUSTED|resource pool exhausted|enough resources available|Out of (?:host )?capacity|No available machine matches|no matching machine/i,
    message: 'The cloud has no capacity for machines of this size there right now.',
    advice: 'Try again later, or choose another zone or size.',
  },
  {
    code: 'quota',
    pattern:
      /LimitExceeded|CountLimitReached|SpotInstanceCountExceeded|QuotaExceeded|QUOTA_EXCEEDED|\bquota\b|service limits? (?:was|were) exceeded/i,
    message: 'The account has reached a quota.',
    advice: 'Request a higher quota from the cloud provider, or use fewer or smaller machines.',
  },
  {
    code: 'failed',
    pattern: /Your query returned no results|api error Invalid\w+\.NotFound/,
    message:
      'Something that the cluster uses was not found in the cloud: an image, a network, an address or a disk.',
    advice: 'The details say which. Choose another one, or create it again.',
  },
  {
    code: 'timeout',
    pattern: /timeout while waiting|timed? ?out|context deadline exceeded|OperationTimedOut/i,
    message: 'The cloud took too long.',
    advice: 'Try again. Existing resources are kept and not created twice.',
  },
]

const textOf = ({ summary, detail }: Diagnostic) => (detail ? `${summary}\n${detail}` : summary)

/** Describes why an engine failed. */
export function failureOf(diagnostics: Diagnostic[], exitCode: number | null): EngineError {
  const errors = diagnostics.filter((one) => one.severity === 'error')
  const details = [...new Set(errors.map(textOf))]
  for (const { code, pattern, message, advice } of kinds) {
    const fitting = errors.filter((one) => pattern.test(textOf(one)))
    const addresses = fitting.flatMap(({ address }) => address ?? [])
    if (fitting.length > 0) return new EngineError(code, message, { details, advice, addresses })
  }
  // The wrapper's shell returns 128 or more for a process that was ended by a signal.
  if (exitCode === null || exitCode > 128) {
    const advice =
      'Only its last actions may be missing from the state; those resources are found by their tags.'
    return new EngineError('killed', 'The engine was killed before it finished.', { details, advice })
  }
  const first = errors.find(({ summary }) => summary !== 'execution halted') ?? errors[0]
  return new EngineError('failed', first?.summary ?? `The engine exited with code ${exitCode}.`, { details })
}
