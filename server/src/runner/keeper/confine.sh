# The first process in the namespaces of a confined job (docs/confinement.md). The job's payload holds this text; it gets
#   UID GID HOME SCRATCH STEPS COMMAND...     (STEPS: lines of a word and a path)
# and makes what the job sees below SCRATCH/root, makes that its root folder, and runs the command in one more user
# namespace, in which nobody can take away what was mounted before. It stays until the command has ended: then the kernel
# ends every process that is left.
set -u
trap : TERM INT HUP
umask 077
# Administrators' programs may be missing in the path of who runs jobs, which the job gets as it is.
path=$PATH
PATH=$PATH:/usr/sbin:/usr/bin:/sbin:/bin
u=$1 g=$2 h=$3 s=$4 steps=$5
shift 5
newline="
"
fail() {
  printf "EvoTrainer could not confine this job: %s. Correct that, or set trainer.confine in evotrainer.yaml to off\n" "$*" >&2
  exit 97
}
# Starting a program for every mount is most of what this takes, so one of Perl makes them all, if there is Perl and the
# kernel has the calls (Linux 5.12): it is asked with a word and its paths or options, a line each, and answers with ok or
# with what is wrong. The numbers of these calls are the same on all machines: open_tree 428, move_mount 429, fsopen 430,
# fsconfig 431, fsmount 432, mount_setattr 442.
server='
$| = 1;
sub line { my $l = <STDIN>; exit 0 unless defined $l; chomp $l; $l }
sub moved { my ($fd, $to) = @_; my $none = ""; $fd >= 0 && syscall(429, $fd, $none, -100, $to, 0x14) == 0 }
sub bound { my ($from, $deep, $to) = @_; moved(syscall(428, -100, $from, $deep), $to) }
sub fixed { my ($p, $read) = (@_, pack("Q4", 1, 0, 0, 0)); syscall(442, -100, $p, 0, $read, 32) == 0 }
sub made {
  my ($type, $mode, $to) = @_;
  my $fs = syscall(430, $type, 0);
  for ([source => $type], [mode => $mode]) {
    my ($key, $value) = @$_;
    return 0 unless $fs >= 0 && ($value eq "" || syscall(431, $fs, 1, $key, $value, 0) == 0);
  }
  syscall(431, $fs, 6, 0, 0, 0) == 0 && moved(syscall(432, $fs, 0, 0), $to);
}
sub folder { my $p = ""; for (split m{/}, shift) { $p .= "$_/"; mkdir $p } -d $p }
while (1) {
  my $w = line();
  my $done = $w eq "ro" ? fixed(line()) : $w eq "dir" ? folder(line()) : $w eq "fs" ? made(line(), line(), line())
    : $w eq "try" ? syscall(442, -1, my $none = "", 0, my $read = "", 0) < 0 && $!{EINVAL}
    : bound(line(), $w eq "rbind" ? 0x8001 : 1, line());
  print $done ? "ok\n" : "$!\n";
}'
asked() { # whether the server did it
  printf "%s\n" "$@" 2>/dev/null >&5 && IFS= read -r answer <&6 && [ "$answer" = ok ]
}
serve() {
  serving=""
  command -v perl >/dev/null && mkfifo "$s/ask" "$s/answer" || return 0
  PERL5OPT="" PERL5LIB="" perl -MErrno -e "$server" <"$s/ask" >"$s/answer" 2>/dev/null &
  serving=$!
  exec 5>"$s/ask" 6<"$s/answer"
  trap : PIPE
  asked try || served
}
served() {
  [ -n "$serving" ] || return 0
  exec 5>&- 6<&-
  wait "$serving"
  serving=""
}
put() { mount "$@" || fail "mount $* failed"; }
bind() { # bind|rbind FROM TO
  case $2$3 in *"$newline"*) put "--$1" "$2" "$3" && return ;; esac
  [ -n "$serving" ] && asked "$@" || put "--$1" "$2" "$3"
}
fixed() {
  case $1 in *"$newline"*) put -o remount,bind,ro "$1" && return ;; esac
  [ -n "$serving" ] && asked ro "$1" || put -o remount,bind,ro "$1"
}
empty() { # TYPE MODE TO
  [ -n "$serving" ] && asked fs "$@" || put -t "$1" ${2:+-o "mode=$2"} "$1" "$3"
}
folder() { # with those above it
  case $1 in *"$newline"*) mkdir -p "$1" && return ;; esac
  [ -n "$serving" ] && asked dir "$1" || mkdir -p "$1"
}
inside() { case $1/ in "$2"/*) return 0 ;; esac; return 1; }

mkdir -p "$s/root" "$s/tmp" "$s/home" "$s/work" && s=$(readlink -f -- "$s") || fail "$s cannot be made"
umask 0777
: >"$s/none"
umask 077
r=$s/root
h=$(readlink -f -- "${h:-/}") || h=/
wd=$(pwd -P)
serve
bind rbind / "$r"

# How mountinfo writes blanks and the like. A digit after it is not part of it, so each gets the 0 that %b expects before three.
unescape() {
  rest=$1 point=""
  while :; do
    case $rest in *\\[0-7][0-7][0-7]*) ;; *) break ;; esac
    point=$point${rest%%\\*}
    rest=${rest#*\\}
    point="$point\\0${rest%"${rest#???}"}"
    rest=${rest#???}
  done
  point=$(printf "%b." "$point$rest")
  point=${point%.}
}

# Everything read-only. Files of the kernel are not the user, unless the user is root.
below_home="" groups="" whole=""
while read -r _ _ _ _ point options rest; do
  type=${rest#*- }
  type=${type%% *}
  case $point in *\\*) unescape "$point" ;; esac
  case $point in
  "$r") in=/ whole=1 ;;
  "$r"/*) in=${point#"$r"} ;;
  "$h"/*) [ "$h" = / ] || inside "$s" "$point" || below_home="$below_home$point
"
    continue ;;
  *) continue ;;
  esac
  case $in in /dev | /dev/* | /proc | /proc/* | /run | /run/*) continue ;; esac
  case $in in
  /sys/fs/cgroup/*)
    groups=1
    continue
    ;;
  /sys | /sys/*) [ "$u" = 0 ] || continue ;;
  esac
  case $type in autofs | squashfs | iso9660 | nsfs | binfmt_misc | securityfs | debugfs | tracefs) continue ;; esac
  case ,$options, in *,ro,*) continue ;; esac
  [ -n "$serving" ] && asked ro "$point" ||
    mount -o "remount,bind,ro,${options#rw,}" "$point" 2>/dev/null || [ ! -w "$point" ] || fail "$in cannot be made read-only"
done </proc/self/mountinfo
[ -n "$whole" ] || fail "$r is not among its mounts"

empty proc "" "$r/proc"
if [ "$u" = 0 ]; then
  for p in /proc/sys /proc/sysrq-trigger; do
    [ ! -e "$r$p" ] || { bind bind "$r$p" "$r$p" && fixed "$r$p"; }
  done
fi

# Root could read the disks themselves, so it gets only devices that are needed; who else runs jobs gets those that it may open.
if [ "$u" = 0 ]; then
  empty tmpfs 755 "$r/dev"
  mkdir "$r/dev/pts" "$r/dev/shm"
  cp -P /dev/fd /dev/stdin /dev/stdout /dev/stderr "$r/dev/" 2>/dev/null
  ln -s pts/ptmx "$r/dev/ptmx"
  for p in null zero full random urandom tty fuse kfd dxg dri infiniband nvidia* accel*; do
    for p in /dev/$p; do
      [ -e "$p" ] || continue
      if [ -d "$p" ]; then mkdir "$r$p"; else : >"$r$p"; fi
      bind rbind "$p" "$r$p"
    done
  done
fi
[ ! -d /dev/pts ] || put -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$r/dev/pts"
[ "$u" = 0 ] || [ -L /dev/ptmx ] || bind bind "$r/dev/pts/ptmx" "$r/dev/ptmx"
[ ! -d /dev/shm ] || [ -L /dev/shm ] || empty tmpfs 1777 "$r/dev/shm"

masks=""
mask() { # an empty folder, which is made read-only when all is in place
  empty tmpfs 755 "$1"
  masks="$1
$masks"
}
room() { # makes the place for something that is at $1
  [ ! -e "$r$1" ] || return 0
  if [ -d "$1" ]; then folder "$r$1"; else folder "$r${1%/*}" && : >"$r$1"; fi || fail "there is no place for $1"
}
link() { # where a name that leads to $2 is gone, it is there again
  [ -L "$1" ] || return 0
  d=$(readlink -f -- "${1%/*}/")
  n=$d/${1##*/}
  [ -e "$r$n" ] || [ -L "$r$n" ] || { folder "$r$d" && ln -s "$2" "$r$n"; }
}
hide() {
  # Where it would not be there anyway, its place is taken, so that writing there fails.
  [ -e "$r$1" ] || { [ -d "$1" ] && folder "$r$1" 2>/dev/null; } || return 0
  if [ -d "$r$1" ]; then mask "$r$1"; else bind bind "$s/none" "$r$1" && fixed "$r$1"; fi
}
lay() { # show or keep
  room "$2"
  bind rbind "$2" "$r$2"
  [ "$1" = keep ] || fixed "$r$2"
}

# Of root, and where each controller is mounted by itself.
[ "$u" != 0 ] || [ -z "$groups" ] || mask "$r/sys/fs/cgroup"
if [ -d /run ] && [ ! -L /run ]; then
  mask "$r/run"
  for p in systemd/resolve resolvconf NetworkManager nscd nvidia-persistenced nvidia-fabricmanager opengl-driver current-system; do
    [ ! -e "/run/$p" ] || lay show "/run/$p"
  done
fi
for p in /tmp /var/tmp; do
  [ ! -d "$p" ] || [ -L "$p" ] || bind bind "$s/tmp" "$r$p"
done
[ ! -e /tmp/nvidia-mps ] || lay show /tmp/nvidia-mps
if [ "$h" != / ] && [ -d "$h" ]; then
  case $h in *[:,\\]*) fail "the home folder has a name that overlayfs cannot take" ;; esac
  room "$h"
  cd "$s" || exit 97
  if ! mount -t overlay -o "lowerdir=$h,upperdir=home,workdir=work,userxattr" overlay "$r$h" 2>/dev/null; then
    mkdir "$s/memory" && put -t tmpfs tmpfs "$s/memory" && mkdir "$s/memory/home" "$s/memory/work" && cd "$s/memory" || exit 97
    put -t overlay -o "lowerdir=$h,upperdir=home,workdir=work,userxattr" overlay "$r$h"
  fi
  while IFS= read -r p; do
    [ -z "$p" ] || [ ! -e "$r$p" ] || lay show "$p"
  done <<END
$below_home
END
fi
p=${TMPDIR-}
[ -z "$p" ] || [ ! -d "$p" ] || {
  p=$(readlink -f -- "$p")
  inside "$p" /tmp || inside "$p" /var/tmp || bind bind "$s/tmp" "$r$p"
}
arrange() { # the steps; all names are resolved in one go, because starting programs is most of what this takes
  IFS=$newline
  set -f
  names=""
  for line in $steps; do
    p=${line#* }
    case $p in "~/"*) p=$h/${p#??} ;; esac
    names=$names$p$newline
  done
  set -- $(readlink -m -- / $names)
  unset IFS
  set +f
  while IFS= read -r line && [ -n "$line" ]; do
    IFS= read -r p <&3
    shift
    [ -e "$p" ] || continue
    case ${line%% *} in
    hide) hide "$1" ;;
    others) for p in "$1"/*/repository.made; do [ ! -e "$p" ] || hide "${p%/*}"; done ;;
    *)
      link "$p" "$1"
      lay "${line%% *}" "$1"
      ;;
    esac
  done <<STEPS 3<<NAMES
$steps
STEPS
$names
NAMES
}
arrange
while IFS= read -r p; do
  [ -z "$p" ] || fixed "$p"
done <<END
$masks
END

served
cd "$r" && pivot_root . . && umount -l . || fail "its root folder cannot be changed"
cd "$wd" || fail "$wd is not there"
unshare=$(command -v unshare) || fail "unshare is not there"
PATH=$path "$unshare" -U -m "--map-user=$u" "--map-group=$g" -- "$@"
exit $?
