document.getElementById("download").addEventListener("click", (event) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([document.getElementById("record").textContent], { type: "application/json" }));
  link.download = event.currentTarget.dataset.name;
  link.click();
  URL.revokeObjectURL(link.href);
});
