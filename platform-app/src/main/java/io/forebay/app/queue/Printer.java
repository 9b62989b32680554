/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import io.forebay.app.command.WrongUsage;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.boot.json.JsonWriter;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;

/** Writes records as elements of a YAML sequence, or as lines of JSON. Thread-safe. */
final class Printer {

  private static final JsonWriter<Map<String, Object>> JSON = JsonWriter.standard();

  private final Format format;
  private final Yaml yaml;
  private final Writer out;

  enum Format {
    YAML,
    NDJSON;

    /**
     * @throws WrongUsage if there is no such format
     */
    static Format of(String name) {
      return switch (name) {
        case "yaml" -> YAML;
        case "ndjson" -> NDJSON;
        default ->
            throw new WrongUsage(
                "--format=%s is not valid (allowed: yaml, ndjson)".formatted(name));
      };
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

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

  Printer(Format format, OutputStream out) {
    this.format = format;
    this.out = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    DumperOptions options = new DumperOptions();
    options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
    options.setSplitLines(false);
    yaml = new Yaml(new OneLineHops(options), options);
  }

  /**
   * @throws OutputClosed if nobody reads the output
   */
  synchronized void print(Map<String, Object> fields) {
    try {
      out.write(
          format == Format.YAML
              ? yaml.dump(List.of(fields))
              : JSON.writeToString(fields) + System.lineSeparator());
    } catch (IOException e) {
      throw new OutputClosed(e);
    }
  }

  /**
   * @throws OutputClosed if nobody reads the output
   */
  synchronized void flush() {
    try {
      out.flush();
    } catch (IOException e) {
      throw new OutputClosed(e);
    }
  }
}
