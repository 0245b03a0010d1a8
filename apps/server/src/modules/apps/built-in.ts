import { AppInput, type App } from '@flotilla/contract/apps/apps'

/** Shell code that ends a script whose program is missing and explains how to install it. */
const need = (program: string, name: string, install: string) =>
  `command -v ${program} >/dev/null || {
  echo "${name} is not installed on $(hostname). ${install}" >&2
  exit 127
}`

/** Includes the folder where users install their own programs. */
const modules = `PATH="$HOME/.local/bin:$PATH"
for name in $APP_MODULES; do
  module load "$name"
done`
const modulesField = {
  name: 'modules',
  label: 'Environment modules',
  kind: 'text',
  help: 'Loaded first, separated by spaces. Leave empty if your cluster has none.',
} as const
const environmentField = {
  name: 'environment',
  label: 'Python environment',
  kind: 'text',
  help: 'The folder of a virtual or conda environment. Leave empty for the default Python.',
} as const
const environment = `[ -z "$APP_ENVIRONMENT" ] || PATH="$APP_ENVIRONMENT/bin:$PATH"`
const folderField = {
  name: 'folder',
  label: 'Folder',
  kind: 'text',
  help: 'Where it opens. Leave empty for your home folder.',
} as const
const enterFolder = `cd "\${APP_FOLDER:-$HOME}" || exit`

const builtIn = (id: string, input: unknown, opens: App['opens'] = 'session'): App => ({
  ...AppInput.parse(input),
  id,
  opens,
  builtIn: true,
  owner: null,
  mine: false,
  updatedAt: null,
})

/** These apps do not authenticate connections. On a shared node, other users of the node could open them. */
const withoutToken = new Set(['code-server', 'rstudio', 'tensorboard'])
/** Why an app cannot start on a cluster whose jobs share their network with other users, or null. */
export const sharedNodesProblem = (
  { id, name }: Pick<App, 'id' | 'name'>,
  sharesNetwork: boolean,
): string | null =>
  sharesNetwork && withoutToken.has(id)
    ? `${name} cannot check who connects to it, so it runs only where every job has a network of its own, such as on This machine`
    : null

/** The built-in apps. Their programs must be installed on the clusters. */
export const builtInApps: readonly App[] = [
  builtIn(
    'desktop',
    {
      name: 'Desktop',
      icon: 'desktop',
      description: 'A Linux desktop on the cluster, for graphical programs.',
      script: 'echo "The desktop of a cluster is not started by a script."',
    },
    'desktop',
  ),
  builtIn('jupyterlab', {
    name: 'JupyterLab',
    icon: 'notebook',
    description: 'Notebooks, code and data in one place.',
    fields: [folderField, environmentField, modulesField],
    // The token is passed in the environment, because other users of the node can see command lines.
    script: `${modules}
${environment}
${need('jupyter', 'JupyterLab', 'Install it with: python3 -m pip install --user jupyterlab')}
${enterFolder}
export JUPYTER_TOKEN=$TOKEN
exec jupyter lab --no-browser --ip="$HOST" --port="$PORT" --ServerApp.port_retries=0 \\
  --ServerApp.allow_remote_access=True --ServerApp.root_dir="$PWD"
`,
    resources: { cores: 1, walltime: '04:00:00' },
    ready: { path: '/api/status', status: 200 },
  }),
  builtIn('code-server', {
    name: 'code-server',
    icon: 'code',
    description: 'Visual Studio Code in the browser.',
    fields: [folderField, modulesField],
    script: `${modules}
${need('code-server', 'code-server', 'See https://coder.com/docs/code-server/install')}
${enterFolder}
exec code-server --auth none --bind-addr "$HOST:$PORT" --disable-telemetry --disable-update-check \\
  --disable-workspace-trust "$PWD"
`,
    resources: { cores: 1, walltime: '04:00:00' },
    ready: { path: '/healthz', status: 200 },
  }),
  builtIn('rstudio', {
    name: 'RStudio Server',
    icon: 'flask',
    description: 'R, with editor, plots and packages.',
    fields: [modulesField],
    script: `${modules}
PATH="$PATH:/usr/lib/rstudio-server/bin"
${need('rserver', 'RStudio Server', 'See https://posit.co/download/rstudio-server')}
${need('R', 'R', 'Ask the administrator of the cluster, or load its module.')}
data=$(mktemp -d) && trap 'rm -rf "$data"' EXIT
(umask 077; head -c 32 /dev/urandom | base64 >"$data/cookie-key")
printf 'provider=sqlite\\ndirectory=%s\\n' "$data" >"$data/database.conf"
rserver --server-daemonize=0 --www-address="$HOST" --www-port="$PORT" --auth-none=1 --server-user="$USER" \\
  --server-data-dir="$data" --server-pid-file="$data/pid" --secure-cookie-key-file="$data/cookie-key" \\
  --database-config-file="$data/database.conf" --rsession-which-r="$(command -v R)"
`,
    resources: { cores: 1, walltime: '04:00:00' },
    ready: { path: '/', status: 302 },
  }),
  builtIn('tensorboard', {
    name: 'TensorBoard',
    icon: 'chart',
    description: 'Charts of a model’s training progress.',
    fields: [
      {
        name: 'logdir',
        label: 'Log folder',
        kind: 'text',
        required: true,
        default: 'runs',
        help: 'Where your training writes its events, relative to your home folder.',
      },
      environmentField,
      modulesField,
    ],
    script: `${modules}
${environment}
${need('tensorboard', 'TensorBoard', 'Install it with: python3 -m pip install --user tensorboard')}
cd "$HOME" || exit
exec tensorboard --host "$HOST" --port "$PORT" --logdir "$APP_LOGDIR"
`,
    resources: { cores: 1, walltime: '02:00:00' },
  }),
]
