import type { AcmMachine, AcmShape } from '@flotilla/contract/clouds/acm'

const architectures: Record<string, AcmShape['arch']> = { amd64: 'x86_64', arm64: 'arm64' }

/**
 * The machine shapes of a site. Machines are allocated by common properties, so `tag:gpu` and `pool:default` are MAAS's
 * sizes; each has the cores and memory of its smallest machine.
 */
export function shapesOf(machines: AcmMachine[]): AcmShape[] {
  // A machine that was never commissioned has no cores yet.
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
