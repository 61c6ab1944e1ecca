# A module that says who is to look after the machine.

param "owner" {
  default = "the web team"
}

message "owner" {
  text = "questions about this machine go to {{param `owner`}}"
}

message "old" {
  when = platform.OS != "linux"
  text = "what follows was only tried on Linux"
}
