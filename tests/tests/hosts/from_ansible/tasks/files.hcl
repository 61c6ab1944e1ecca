file.replace "name" {
  destination = "/etc/app/bashrc"
  pattern     = "(?m)^(.*PS1.*)\\\\h(.*)"
  replacement = "\\g<1>\\\\H\\g<2>"
}

file.line "server" {
  for_each = {
    "^#?Port\\s"            = "Port 2222"
    "^#?PermitRootLogin\\s" = "PermitRootLogin no"
    "^#?MaxAuthTries\\s"    = "MaxAuthTries 3"
  }

  destination   = "/etc/app/sshd.conf"
  match         = each.key
  line          = each.value
  insert_before = "^Match"
}

file.line "heap" {
  destination     = "/etc/app/settings"
  match           = "^(heap)="
  line            = "\\1=1g"
  back_references = true
}

file.line "trace" {
  destination = "/etc/app/settings"
  line        = "trace=off"
  depends     = ["file.line.heap"]
}

file.line "main" {
  destination  = "/etc/app/main.conf"
  insert_after = "^\\[main\\]"
  line         = "name = app"
}

file.content "allowed" {
  destination     = "/etc/app/allowed"
  only_if_missing = true
  owner           = "root"
  group           = "operators"
  mode            = "0640"
}

file.line "allowed" {
  for_each    = ["192.0.2.0/24", "198.51.100.0/24"]
  destination = file.content.allowed.destination
  line        = each.key
}

file.line "gone" {
  destination = "/etc/app/upstream.conf"
  match       = "server 192\\.0\\.2\\.2;"
  state       = "absent"
}

file.block "servers" {
  destination  = "/etc/app/upstream.conf"
  insert_after = "^upstream"
  marker       = "  # {mark} of the new servers"
  content      = "  server 192.0.2.8;\n  server 192.0.2.9;\n"
  depends      = ["file.line.gone"]
}

locals {
  sites = [
    { name = "one", port = 8001, aliases = ["a.example.com", "b.example.com"] },
    { name = "two", aliases = [] },
  ]
  debug = false
}

file.content "page" {
  destination = "/etc/app/page.conf"
  owner       = "root"
  group       = "operators"
  mode        = "0640"

  content = <<EOF
# of {{platform.hostname}}
{{range local.sites -}}
site {{upper .name}} {
  port {{default 80 .port}};
{{if .aliases}}  aliases {{join " " .aliases}};
{{end}}}
{{end}}{{if local.debug}}debug on;
{{else}}debug off;
{{end -}}
EOF
}

file.copy "release" {
  source      = "/srv/app/releases/1"
  destination = "/srv/app/releases/2"
}

file.link "current" {
  destination = "/srv/app/current"
  target      = "/srv/app/releases/2"
}

file.directory "shared" {
  for_each    = ["log", "tmp"]
  destination = "/srv/app/shared/{{each.key}}"
  owner       = "app"
  group       = "deploy"
  mode        = "02775"
}

file.content "log" {
  destination     = "/srv/app/shared/log/app.log"
  only_if_missing = true
  owner           = "app"
  group           = "deploy"
  mode            = "0664"
}

file.owner "release" {
  destination = file.copy.release.destination
  user        = "app"
  group       = "deploy"
  recursive   = true
}

file.mode "data" {
  destination = "/srv/data"
  mode        = "u=rwX,g=rX,o="
  recursive   = true
  depends     = ["file.absent.old"]
}

file.query "old" {
  glob    = "/srv/data/old/*.log"
  min_age = "8736h"
}

file.absent "old" {
  for_each    = file.query.old.paths
  destination = each.key
}

file.query "there" {
  path = "/srv/data/old/c.txt"
}

file.content "there" {
  destination = "/etc/app/there"
  content     = format("%d %s\n", file.query.there.size, file.query.there.owner)
  mode        = "0644"
  when        = file.query.there.exists && file.query.there.kind != "directory"
}

file.query "windows" {
  path = "/etc/app/windows.conf"
}

file.content "unix" {
  destination = "/etc/app/unix.conf"
  content     = replace(file.query.windows.content, "/\\s+/", " ")
  mode        = "0600"
}

file.content "kept" {
  destination     = "/etc/app/main.conf"
  content         = "never"
  only_if_missing = true
}

file.content "facts" {
  destination = "/etc/app/facts"
  mode        = "0644"

  content = <<EOF
{{platform.family}} {{platform.distribution}} {{platform.major_version}} {{platform.codename}}
{{if platform.version | versionmatches ">= 11"}}new{{else}}old{{end}} {{platform.hostname}} {{platform.architecture}}
{{split "," "b,a,b" | distinct | sort | join ","}} {{basename "/etc/app/page.conf"}} {{sha256 "x"}}
{"a": 1, "b": [true, null]}
EOF
}
