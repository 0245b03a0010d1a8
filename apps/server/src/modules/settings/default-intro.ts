/** Shown next to the login form until an admin or operator provides another text. */
export const DEFAULT_INTRO = `<h1>Clusters when you need them</h1>
<p>Create clusters in a cloud or bring the machines you already have, run batch jobs on them and watch their output live.</p>
<ul>
  <li>AWS, Azure, Google Cloud, Oracle Cloud, your own MAAS, or this machine</li>
  <li>Slurm, Torque or the built-in executor</li>
  <li>Files, output and a terminal in the browser</li>
  <li>People, roles and an audit trail for a shared platform</li>
</ul>
`
