/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.springframework.boot.json.JsonWriter;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;

/** Writes records as elements of a YAML sequence, or as lines of JSON. */
final class Printer {

  private final Function<Map<String, Object>, String> format;
  private final Writer out;

  /** Prints each hop of a history in one line. */
  private static final class OneLineHops extends Representer {

    OneLineHops(DumperOptions options) {
      super(options);
    }

    @Override
    protected Node representMapping(Tag tag, Map<?, ?> mapping, DumperOptions.FlowStyle flowStyle) {
      boolean hop = mapping.containsKey("waitingMicros");
      return super.representMapping(tag, mapping, hop ? DumperOptions.FlowStyle.FLOW : flowStyle);
    }
  }

  /** Nobody reads the output any more, for example because {@code head} has ended. */
  static final class OutputClosed extends RuntimeException {

    private static final long serialVersionUID = 1;

    OutputClosed(IOException cause) {
      super(cause);
    }
  }

  /**
   * @param format yaml or ndjson
   * @throws WrongUsage if it is another one
   */
  Printer(String format, OutputStream out) {
    this.format =
        switch (format) {
          case "yaml" -> yaml();
          case "ndjson" -> json();
          default ->
              throw new WrongUsage(
                  "--format=%s is not valid (allowed: yaml, ndjson)".formatted(format));
        };
    this.out = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
  }

  private static Function<Map<String, Object>, String> yaml() {
    DumperOptions options = new DumperOptions();
    options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
    options.setSplitLines(false);
    Yaml yaml = new Yaml(new OneLineHops(options), options);
    return fields -> yaml.dump(List.of(fields));
  }

  private static Function<Map<String, Object>, String> json() {
    JsonWriter<Map<String, Object>> json = JsonWriter.standard();
    return fields -> json.writeToString(fields) + System.lineSeparator();
  }

  /**
   * @throws OutputClosed if nobody reads the output
   */
  void print(Map<String, Object> fields) {
    try {
      out.write(format.apply(fields));
    } catch (IOException e) {
      throw new OutputClosed(e);
    }
  }

  /**
   * @throws OutputClosed if nobody reads the output
   */
  void flush() {
    try {
      out.flush();
    } catch (IOException e) {
      throw new OutputClosed(e);
    }
  }
}
