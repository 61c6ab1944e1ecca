# Settings of a program: one line that is there, one that takes the place of another, and lines that are gone.

param "folder" {
  default = "/tmp"
}

file.content "settings" {
  destination     = "{{param `folder`}}/converge-line.conf"
  content         = "# settings\n#port 22\nroot yes\nold 1\nold 2\n"
  only_if_missing = true
}

file.line "port" {
  destination = file.content.settings.destination
  match       = "^#?port "
  line        = "port 2222"
}

file.line "root" {
  destination     = file.content.settings.destination
  match           = "^(root) (yes|no)$"
  line            = "\\1 never"
  back_references = true
}

file.line "old" {
  destination = file.content.settings.destination
  match       = "^old "
  state       = "absent"
}
