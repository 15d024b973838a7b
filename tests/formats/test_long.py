"""Long tables: what their further columns say about the rows."""

import covary


def test_rows_of_people_who_gave_up_are_said_to_be_read(tmp_path):
    path = tmp_path / "merged.csv"
    rows = ["participant,status,item,rating", "p1,APPROVED,a,4", "p1,APPROVED,b,3"]
    rows += ["p2,RETURNED,a,1", "p2,RETURNED,b,2", "p3,Approved,a,4", "p3,Approved,b,2"]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    notes = covary.read(path, scale="1-5").notes
    (told,) = [note for note in notes if getattr(note, "code", "") == "formats.unfinished"]
    assert (told.data["count"], told.data["values"]) == (2, ["RETURNED"])
