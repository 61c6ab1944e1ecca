# What the machine is decides what is done.

switch "system" {
  case "eq platform.OS `darwin`" "mac" {
    file.content "shell" {
      destination = "system.txt"
      content     = "zsh\n"
    }
  }

  case "eq `linux` `{{platform.OS}}`" "linux" {
    file.content "shell" {
      destination = "system.txt"
      content     = "bash\n"
    }
  }
}

file.content "linux" {
  when        = platform.OS == "linux"
  destination = "os.txt"
  content     = "on {{platform.OS}}\n"
}

file.content "elsewhere" {
  when        = platform.OS != "linux"
  destination = "elsewhere.txt"
  content     = "not here\n"
}
