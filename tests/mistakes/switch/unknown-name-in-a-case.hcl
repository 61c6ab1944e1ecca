# expect: ? at 10:31 |`file.content.grating.destination`| file.content.grating

switch "language" {
  case "true" "yes" {
    file.content "greeting" {
      destination = "a.txt"
    }

    file.mode "greeting" {
      destination = "{{lookup `file.content.grating.destination`}}"
      mode        = 0644
    }
  }
}
