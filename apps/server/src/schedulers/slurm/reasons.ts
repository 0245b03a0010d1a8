/** Why Slurm lets a job wait: the sentence people read, and whether it waits for more than its turn. */
export interface Reason {
  text: string
  blocked: boolean
}

const waits = (text: string): Reason => ({ text, blocked: false })
const blocked = (text: string): Reason => ({ text, blocked: true })

const known = new Map<string, Reason>(
  Object.entries({
    None: waits('Waiting for the scheduler to look at it'),
    WaitingForScheduling: waits('Waiting for the scheduler to look at it'),
    Priority: waits('Waiting its turn: jobs with a higher priority come first'),
    Resources: waits('Waiting for free cores: other jobs are running'),
    Prolog: waits('Its nodes are being prepared'),
    Cleaning: waits('Its last run is being cleaned up before it starts again'),
    Licenses: waits('Waiting for a software license that others are using'),
    Reservation: waits('Waiting for its reservation to begin'),
    ReqNodeNotAvail: waits('A node it needs is in use, reserved, drained or down'),
    // Slurm's own sentence goes on after a comma.
    'Nodes required for job are DOWN': waits('The nodes it needs are down, drained or reserved for others'),
    JobArrayTaskLimit: waits('Waiting for other tasks of its array: only so many may run at a time'),
    BurstBufferResources: waits('Waiting for room in the burst buffer'),
    BurstBufferStageIn: waits('Its files are being copied to the burst buffer'),
    PowerNotAvail: waits('Waiting for electric power: the cluster is at its power limit'),
    PowerReserved: waits('Waiting for electric power that is reserved for others'),
    FedJobLock: waits('Waiting for the other clusters of the federation to agree where it runs'),
    FrontEndDown: waits('Waiting for the front end node, which is down'),
    NodeDown: waits('Waiting for a node that is down'),
    ResumeFailure: waits('A node did not start; waiting for another one'),
    MaxPowerSavingNodes: waits('Waiting because as many nodes as allowed are starting or stopping'),

    JobHeldUser: blocked('Held by its owner; release it to let it start'),
    JobHeldAdmin: blocked('Held by an administrator, who has to release it'),
    JobHoldMaxRequeue: blocked(
      'Held because it was started again too often; look at its output, then release it',
    ),
    RequeueExitHold: blocked(
      'Held because it ended with an exit code that asks for it; release it to run it again',
    ),
    SpecialExit: blocked(
      'Held because it ended with an exit code that asks for it; release it to run it again',
    ),
    JobHeldSpecialExit: blocked(
      'Held because it ended with an exit code that asks for it; release it to run it again',
    ),
    launch_failed_requeued_held: blocked('Held because it could not be started; release it to try again'),
    job_requeued_in_held_state: blocked(
      'Held after it was put back into the queue; release it to let it start',
    ),
    ReservationDeleted: blocked(
      'Held because its reservation was deleted; choose another one and release it',
    ),
    Dependency: blocked('Waiting for another job that has to end first'),
    DependencyNeverSatisfied: blocked(
      'Cannot start: the job it depends on ended in another way than it asks for; cancel it',
    ),
    BeginTime: blocked('Waiting for the start time that was asked for'),
    DeadLine: blocked('Cannot start: it would not end before its deadline'),
    BadConstraints: blocked('Cannot start: no node of the cluster has what it asks for'),
    InvalidAccount: blocked('Cannot start: its account is not valid; submit it with another one'),
    InvalidQOS: blocked('Cannot start: its quality of service is not valid; submit it with another one'),
    AccountNotAllowed: blocked('Cannot start: its account may not use this partition'),
    QOSNotAllowed: blocked(
      'Cannot start: its quality of service may not be used in this partition or by this account',
    ),
    AccountingPolicy: blocked('Waiting because of a limit of its account'),
    AssociationJobLimit: blocked('Waiting because its account has as many jobs as it may have'),
    AssociationResourceLimit: blocked('Waiting because its account uses as much as it may'),
    AssociationTimeLimit: blocked('Waiting because its account has used up its time'),
    QOSJobLimit: blocked('Waiting because its quality of service has as many jobs as it may have'),
    QOSResourceLimit: blocked('Waiting because its quality of service uses as much as it may'),
    QOSTimeLimit: blocked('Waiting because its quality of service has used up its time'),
    QOSUsageThreshold: blocked('Waiting because too much was used lately under its quality of service'),
    PartitionDown: blocked('The partition is closed: it takes jobs but starts none'),
    PartitionInactive: blocked('The partition is inactive and starts no jobs'),
    PartitionNodeLimit: blocked(
      'Asks for more or fewer nodes than the partition allows or has in working order',
    ),
    PartitionTimeLimit: blocked('Asks for a longer wall time than the partition allows'),
    PartitionConfig: blocked('Asks for more of a node than any node of the partition has'),
    RequiresReservation: blocked('The partition takes only jobs with a reservation'),
    ReqResv: blocked('The partition takes only jobs with a reservation'),
    BurstBufferOperation: blocked('The burst buffer failed; an administrator has to look at it'),
    MaxMemPerLimit: blocked('Asks for more memory than a job may have'),
    TooManyNodes: blocked('Asks for more nodes than the cluster has'),

    NonZeroExitCode: waits('Ended with an exit code that tells of a failure'),
    TimeLimit: waits('Stopped because its wall time ran out'),
    InactiveLimit: waits('Stopped because it did nothing for too long'),
    OutOfMemory: waits('Ended because it used more memory than it had asked for'),
    JobLaunchFailure: waits('Could not be started on its node, or was ended there by a signal'),
    RaisedSignal: waits('Ended by a signal'),
    SystemFailure: waits('Ended because of a failure of Slurm, the network or a file system'),
    BootFailure: waits('Ended because a node did not start'),
  }),
)

/** Slurm also writes them as `(ReqNodeNotAvail, UnavailableNodes:n1)`. */
const spelling = (code: string) =>
  code
    .replace(/^\(|\)$/g, '')
    .replace(/,.*$/s, '')
    .trim()

const resources: Record<string, string> = {
  BB: 'burst buffer space',
  Billing: 'billed resources',
  Cpu: 'cores',
  CPU: 'cores',
  Energy: 'energy',
  GRES: 'GPUs or other special hardware',
  Jobs: 'running jobs',
  Job: 'jobs',
  SubmitJobs: 'submitted jobs',
  SubmitJob: 'submitted jobs',
  License: 'licenses',
  Mem: 'memory',
  Memory: 'memory',
  Node: 'nodes',
  Wall: 'wall time',
  WallDuration: 'wall time',
  Unknown: 'a resource',
}

/** Slurm puts most limits together from parts: whose, of what kind, on what, over what. */
const limit =
  /^(QOS|Assoc)?(Grp|Max|Min)(BB|Billing|Cpu|CPU|Energy|GRES|SubmitJobs?|Jobs?|License|Memory|Mem|Node|WallDuration|Wall|Unknown)(RunMinutes|Minutes)?(PerJob|PerNode|PerUser|PerAccount)?(?:Limit|NotSatisfied)?$/

function limitReason(code: string): Reason | undefined {
  const [, owner, kind, resource = '', minutes, per] = limit.exec(code) ?? []
  if (!kind) return undefined
  const what = `${resources[resource]}${minutes ? ' times time' : ''}`
  const whose = owner === 'QOS' ? 'its quality of service' : 'its account'
  if (kind === 'Min') return blocked(`Asks for less than the least that ${whose} allows of ${what}`)
  if (kind === 'Grp')
    return blocked(`Waiting because all jobs of ${whose} together have reached its limit on ${what}`)
  if (per === 'PerUser' || per === 'PerAccount' || /Job/.test(resource)) {
    const who = per === 'PerAccount' || owner === 'Assoc' ? 'its account' : 'its owner'
    return blocked(`Waiting because the jobs of ${who} have reached the limit on ${what}`)
  }
  return blocked(`Asks for more ${what} ${per === 'PerNode' ? 'on a node' : 'in a job'} than ${whose} allows`)
}

/** Codes that nobody here has heard of are shown as they are. */
export function explain(code: string): Reason {
  const found = known.get(code)
  if (found) return found
  const name = spelling(code)
  return known.get(name) ?? limitReason(name) ?? waits(`Slurm gives the reason ${JSON.stringify(code)}`)
}
