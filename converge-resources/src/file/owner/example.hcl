# A folder that belongs to another user, with everything in it.

param "folder" {
  default = "/tmp"
}

param "user" {
  default = "daemon"
}

file.directory "queue" {
  destination = "{{param `folder`}}/converge-queue"
}

file.owner "queue" {
  destination = file.directory.queue.destination
  user        = param.user
  group       = param.user
  recursive   = true
}
