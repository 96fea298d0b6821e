print("gymmigrate")
