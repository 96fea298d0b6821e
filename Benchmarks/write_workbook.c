// Writes the cells of workbook_cells.py with libxlsxwriter alone, in constant memory: what a workbook costs at least.
//
//     cc -O2 write_workbook.c -o write_workbook -lxlsxwriter && ./write_workbook IN.cells OUT.xlsx

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xlsxwriter.h>

#define TAKE(type, name) \
  type name;             \
  memcpy(&name, at, sizeof name); \
  at += sizeof name

int main(int count, char **arguments) {
  if (count != 3) return 64;
  int file = open(arguments[1], O_RDONLY);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) return 66;
  const char *at = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (at == MAP_FAILED) return 66;
  const char *end = at + status.st_size;

  lxw_workbook_options options = {.constant_memory = LXW_TRUE, .tmpdir = NULL, .use_zip64 = LXW_TRUE};
  lxw_workbook *workbook = workbook_new_opt(arguments[2], &options);
  lxw_worksheet *sheet = workbook_add_worksheet(workbook, NULL);
  TAKE(uint32_t, formats);
  lxw_format **format = calloc(formats, sizeof *format);
  for (uint32_t index = 0; index < formats; index++) {
    TAKE(uint32_t, length);
    TAKE(uint8_t, bold);
    char *code = strndup(at, length);
    at += length;
    if (index > 0) {
      format[index] = workbook_add_format(workbook);
      if (bold) format_set_bold(format[index]);
      if (length > 0) format_set_num_format(format[index], code);
    }
    free(code);
  }

  lxw_row_t row = 0;
  while (at < end) {
    TAKE(uint8_t, kind);
    TAKE(uint16_t, column);
    TAKE(uint16_t, style);
    switch (kind) {
      case 0: row++; break;
      case 1: {
        TAKE(double, number);
        worksheet_write_number(sheet, row, column, number, format[style]);
        break;
      }
      case 2: {
        TAKE(uint32_t, length);
        worksheet_write_string(sheet, row, column, at, format[style]);
        at += length + 1;
        break;
      }
      case 3: {
        TAKE(uint8_t, truth);
        worksheet_write_boolean(sheet, row, column, truth, format[style]);
        break;
      }
      default: worksheet_write_blank(sheet, row, column, format[style]);
    }
  }
  return workbook_close(workbook) == LXW_NO_ERROR ? 0 : 73;
}
