# What the other files of this folder declare is part of this module.
file.content "config" {
  destination = "web.conf"
  content     = "listen {{param `port`}}\nhost {{local `host`}}\n{{file `motd.txt`}}"
}
