# What is known of a user who may be there or not.

param "user" {
  default = "daemon"
}

user.query "it" {
  name = param.user
}

file.content "report" {
  destination = "/tmp/converge-user-query.txt"
  content     = user.query.it.exists ? format("%s lives in %s\n", param.user, user.query.it.home) : format("there is no %s\n", param.user)
}
