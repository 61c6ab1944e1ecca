-p
name=Ada = "Lovelace"
