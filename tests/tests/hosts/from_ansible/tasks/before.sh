# What both hosts have before: files that tasks change, and what they take from.
set -e
umask 022
mkdir -p /srv/data/old /srv/app/releases/1/lib /srv/app/shared /etc/app /srv/pack/tool-2.1/bin
printf 'PS1="\\u@\\h:\\w\\$ "\nalias ll="ls -l"\n' > /etc/app/bashrc
printf '# settings\n#Port 22\nPermitRootLogin yes\nX11Forwarding yes\n\nMatch User git\n  X11Forwarding no\n' > /etc/app/sshd.conf
printf 'heap=256m\nheap=512m\nzone=UTC' > /etc/app/settings
printf '[main]\nbackend = a\n' > /etc/app/main.conf
printf 'one\r\ntwo\r\n' > /etc/app/windows.conf
printf 'upstream {\n  server 192.0.2.1;\n  server 192.0.2.2;\n}\n' > /etc/app/upstream.conf
echo 1 > /srv/app/releases/1/run; echo 1 > /srv/app/releases/1/lib/a; chmod 600 /srv/app/releases/1/lib/a; chmod 755 /srv/app/releases/1/run
ln -s run /srv/app/releases/1/start
echo a > /srv/data/old/a.log; echo b > /srv/data/old/b.log; echo c > /srv/data/old/c.txt
touch -d '2020-01-01' /srv/data/old/a.log
echo tool > /srv/pack/tool-2.1/bin/tool; chmod 755 /srv/pack/tool-2.1/bin/tool; echo text > /srv/pack/tool-2.1/README
tar --mtime=2026-01-01 -C /srv/pack -c tool-2.1 | gzip -n > /srv/tool.tar.gz
useradd --create-home leaver; groupadd leavers; useradd --create-home --groups leavers mover
echo 'leaver ALL=(ALL) ALL' > /etc/sudoers.d/leaver; chmod 440 /etc/sudoers.d/leaver
printf 'MAILTO=x\n5 4 * * * /bin/true\n' | crontab -u mover -
