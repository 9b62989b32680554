/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.admin.Secrets;
import io.forebay.text.Formats;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBean;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.context.ApplicationContext;
import org.springframework.util.unit.DataSize;

/** The effective properties of Forebay and the origin of each; {@link Secrets} are masked. */
public final class Settings {

  private static final String ROOT = "forebay";
  private static final String DEFAULT = "default";

  private final ApplicationContext context;

  public Settings(ApplicationContext context) {
    this.context = context;
  }

  /**
   * @param origin the file and line, variable or argument that set it, or {@code default}
   */
  public record Setting(String key, String value, String origin) {}

  /** All properties by name. */
  public List<Setting> all() {
    Map<String, Setting> all = new TreeMap<>();
    for (ConfigurationPropertiesBean bean : ConfigurationPropertiesBean.getAll(context).values()) {
      String prefix = bean.getAnnotation().prefix();
      if (prefix.equals(ROOT) || prefix.startsWith(ROOT + ".")) {
        addDefaults(all, prefix, bean.getInstance());
      }
    }
    Map<String, Setting> given = new TreeMap<>();
    for (ConfigurationPropertySource source :
        ConfigurationPropertySources.get(context.getEnvironment())) {
      if (source instanceof IterableConfigurationPropertySource names) {
        names.stream()
            .filter(name -> name.getNumberOfElements() > 1 && ROOT.equals(element(name)))
            .forEach(name -> given.putIfAbsent(name.toString(), given(source, name)));
      }
    }
    all.putAll(given);
    return new ArrayList<>(all.values());
  }

  private static String element(ConfigurationPropertyName name) {
    return name.getElement(0, ConfigurationPropertyName.Form.DASHED);
  }

  private Setting given(ConfigurationPropertySource source, ConfigurationPropertyName name) {
    ConfigurationProperty property = source.getConfigurationProperty(name);
    String raw = property == null ? "" : String.valueOf(property.getValue());
    String value;
    try {
      value = context.getEnvironment().resolvePlaceholders(raw);
    } catch (IllegalArgumentException e) {
      value = raw;
    }
    String origin =
        property == null || property.getOrigin() == null
            ? String.valueOf(source.getUnderlyingSource())
            : property.getOrigin().toString();
    return new Setting(name.toString(), Secrets.hidden(name.toString(), value), origin);
  }

  /** Adds the values of a property record and its nested records. */
  private static void addDefaults(Map<String, Setting> all, String prefix, @Nullable Object value) {
    if (value instanceof Record && !isPlain(value)) {
      for (var component : value.getClass().getRecordComponents()) {
        try {
          var accessor = component.getAccessor();
          accessor.setAccessible(true);
          addDefaults(
              all,
              prefix + "." + DataObjectPropertyName.toDashedForm(component.getName()),
              accessor.invoke(value));
        } catch (ReflectiveOperationException e) {
          throw new IllegalStateException(e);
        }
      }
    } else if (value instanceof Map<?, ?> map) {
      map.forEach((key, one) -> addDefaults(all, prefix + "." + key, one));
    } else if (value != null && isPlain(value)) {
      all.put(prefix, new Setting(prefix, Secrets.hidden(prefix, text(value)), DEFAULT));
    }
  }

  private static boolean isPlain(Object value) {
    return value instanceof CharSequence
        || value instanceof Number
        || value instanceof Boolean
        || value instanceof Enum<?>
        || value instanceof Duration
        || value instanceof DataSize
        || value instanceof Path
        || (value instanceof Collection<?> all && all.stream().allMatch(Settings::isPlain));
  }

  private static String text(Object value) {
    return switch (value) {
      case Enum<?> one -> one.name().toLowerCase(Locale.ROOT).replace('_', '-');
      case Duration duration -> Formats.duration(duration);
      case DataSize size -> Formats.bytes(size.toBytes());
      default -> value.toString();
    };
  }
}
