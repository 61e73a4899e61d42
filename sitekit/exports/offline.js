// In the zip alone, before all other scripts. A page that was opened as a file cannot fetch anything; it says this then.
if (location.protocol === "file:") self.asFile = document.currentScript.dataset.say;
self.inZip = true; // what is too large for it is not here
