# Says in a file what the machine is about to run.

param "unit" {
  default = "dbus.service"
}

param "folder" {
  default = "/tmp"
}

systemd.query "it" {
  unit = "{{param `unit`}}"
}

file.content "report" {
  destination = "{{param `folder`}}/converge-unit.txt"
  content     = format("%s\n", systemd.query.it.running ? systemd.query.it.description : "it does not run")
}
