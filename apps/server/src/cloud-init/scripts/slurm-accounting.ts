/** Slurm's accounting database on the head node: MariaDB, and slurmdbd in front of it. The script is sourced. */
export const slurmAccounting = String.raw`
sql() { if has mariadb; then mariadb "$@"; else mysql "$@"; fi; }
mariadb_answers() { echo 'select 1' | sql; }
accounting_answers() { timeout 10 sacctmgr -n show cluster; }

# Only over its socket, because slurmdbd is the only client.
start_mariadb() {
  for folder in /etc/mysql/mariadb.conf.d /etc/my.cnf.d; do
    [ ! -d "$folder" ] || put "$folder/90-flotilla.cnf" 0644 <<'CNF'
[mysqld]
skip-networking
innodb_buffer_pool_size=128M
innodb_log_file_size=64M
innodb_lock_wait_timeout=900
CNF
  done
  install -d -m 0755 -o mysql -g mysql /run/mysqld
  serve mariadb setpriv --reuid mysql --regid mysql --init-groups mariadbd
  wait_for 90 'MariaDB does not start' mariadb_answers
}

start_accounting() {
  [ -s "$state/slurmdbd.password" ] || (umask 077 && openssl rand -hex 24 >"$state/slurmdbd.password")
  password=$(cat "$state/slurmdbd.password")
  sql <<SQL
create database if not exists slurm_acct_db;
grant all on slurm_acct_db.* to 'slurm'@'localhost' identified by '$password';
SQL
  put /etc/slurm/slurmdbd.conf 0600 <<CONF
DbdHost=$FL_HEAD_NAME
SlurmUser=slurm
AuthType=auth/munge
PidFile=/run/slurmdbd.pid
LogFile=/var/log/slurm/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=slurm
StoragePass=$password
StorageLoc=slurm_acct_db
CONF
  chown slurm:slurm /etc/slurm/slurmdbd.conf
  unit slurmdbd 'Slurm accounting' '/usr/sbin/slurmdbd -D' 'Restart=on-failure
RestartSec=5'
  serve slurmdbd slurmdbd -D
  wait_for 60 'slurmdbd does not respond; see /var/log/slurm/slurmdbd.log' accounting_answers
  cluster=$(sed -n 's/^ClusterName=//p' "$control/slurm.conf")
  sacctmgr -n show cluster "$cluster" format=cluster%100 | grep -qw "$cluster" || sacctmgr -i add cluster "$cluster"
  sacctmgr -n show account users format=account | grep -qw users ||
    sacctmgr -i add account users description='Users of the cluster' organization=flotilla
}

# All jobs are recorded either way; users of an account also have a share and limits that an admin may set.
record_user() { ! has sacctmgr || timeout 30 sacctmgr -i add user "$1" account=users >/dev/null 2>&1 || true; }
forget_user() { ! has sacctmgr || timeout 30 sacctmgr -i delete user "$1" >/dev/null 2>&1 || true; }
`
