import { test } from 'vitest'
import { clusterFacts, startCloudCluster } from '../../test/cloud-cluster'
test('x', async () => {
  const c = await startCloudCluster(clusterFacts({}), 'systemd')
  const sh = async (m: any, s: string) => { const r = await m.run(['sh', '-c', s]); console.log('$ ' + s + '\n' + r.stdout + r.stderr) }
  try {
    await sh(c.head, 'cat /var/lib/flotilla/status.json; systemctl --no-pager list-units "flotilla*" "slurm*" "munge*"; sinfo; ps axf')
    const n = await c.node('node1'); 
    try { await c.ready(n) } catch (e) { console.log(e) }
    await sh(n, 'cat /var/lib/flotilla/status.json; systemctl --no-pager list-units "flotilla*" "slurm*" "munge*"; ps axf; journalctl -u slurmd -u flotilla --no-pager | tail -20')
    await sh(c.head, 'sinfo; srun hostname')
    await n.powerOff(); await c.head.powerOff(); await c.head.powerOn(); await n.powerOn()
    await sh(c.head, 'sleep 15; systemctl --no-pager list-units "flotilla*" "slurm*" "munge*"; sinfo; srun hostname')
    await sh(n, 'systemctl --no-pager list-units "flotilla*" "slurm*" "munge*"; ps axf; journalctl -u slurmd -u flotilla --no-pager | tail -20')
  } finally { await c.stop() }
}, 180000)
