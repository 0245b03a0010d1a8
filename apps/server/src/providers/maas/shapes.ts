import type { AcmMachine, AcmShape } from '@flotilla/contract/clouds/acm'

const architectures: Record<string, AcmShape['arch']> = { amd64: 'x86_64', arm64: 'arm64' }

/**
 * The machine shapes of a site. Machines are allocated by what they share, so `tag:gpu` and `pool:default` are the
 * sizes of MAAS; each promises what the smallest of its machines has.
 */
export function shapesOf(machines: AcmMachine[]): AcmShape[] {
  // A machine that was never looked at has no cores yet.
  const known = machines.filter(({ cores }) => cores > 0)
  const kinds = (kind: 'tag' | 'pool', namesOf: (machine: AcmMachine) => string[]) => {
    const names = [...new Set(known.flatMap(namesOf))].toSorted()
    return names.map((name) =>
      shape(
        kind,
        name,
        known.filter((machine) => namesOf(machine).includes(name)),
      ),
    )
  }
  return [...kinds('tag', ({ tags }) => tags), ...kinds('pool', ({ pool }) => (pool === '' ? [] : [pool]))]
}

function shape(kind: 'tag' | 'pool', name: string, machines: AcmMachine[]): AcmShape {
  const [arch, ...others] = new Set(machines.map(({ architecture }) => architectures[architecture]))
  return {
    name: `${name} (${kind})`,
    instance_id: `${kind}:${name}`,
    cores: Math.min(...machines.map(({ cores }) => cores)),
    memory: Math.floor(Math.min(...machines.map(({ memory }) => memory))),
    ...(arch && others.length === 0 && { arch }),
    machines: machines.length,
    ready: machines.filter(({ status }) => status === 'Ready').length,
  }
}
