/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.spring;

import io.forebay.database.EmbeddedDatabase;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.SharedStatement;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.jdbc.lane.Lane;
import io.forebay.jdbc.lane.Shares;
import io.forebay.queue.QueueBackend;
import io.forebay.system.DefaultSystemDatabase;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.function.ThrowingSupplier;

/**
 * The configured gateways. Each has a client and a {@link JDBCStatement} as beans with its name as
 * qualifier. Without a gateway there are no beans.
 */
@AutoConfiguration(
    afterName = {
      "io.forebay.spring.MemoryAutoConfiguration",
      "io.forebay.chronicle.ChronicleAutoConfiguration",
      "io.forebay.kafka.KafkaAutoConfiguration"
    })
@EnableConfigurationProperties(GatewaysProperties.class)
@Import(GatewayAutoConfiguration.Gateways.class)
public class GatewayAutoConfiguration {

  /** The name of the bean that divides the database of a gateway among its lanes. */
  private static final String SHARES = "Shares";

  @Bean
  GatewayLifecycle forebayGatewayLifecycle(ObjectProvider<JDBCService> gateways) {
    return new GatewayLifecycle(gateways.stream().toList());
  }

  private static GatewaysProperties.Gateway configured(String name, BeanFactory beans) {
    GatewaysProperties.Gateway gateway =
        beans.getBean(GatewaysProperties.class).gateways().get(name);
    if (gateway == null) {
      throw new IllegalStateException("gateway " + name + " is missing from the configuration");
    }
    return gateway;
  }

  static JDBCService gateway(String name, ConfigurableListableBeanFactory beans)
      throws SQLException {
    GatewaysProperties.Gateway gateway = configured(name, beans);
    if (gateway.datasource() == null && !gateway.migrations().isEmpty()) {
      OwnTables.migrate(beans.getBean(EmbeddedDatabase.class), name, gateway.migrations());
    }
    JDBCService.Builder builder = ConfiguredGateway.builder(name, name, gateway, beans);
    if (!gateway.lanes().isEmpty()) {
      builder.share(beans.getBean(name + SHARES, Shares.class).add(gateway.weight()));
    }
    QueueBackend queues = beans.getBean(QueueBackend.class);
    if (gateway.from() == null) {
      builder.queues(queues, Objects.requireNonNullElse(gateway.partitions(), 1));
    } else {
      builder.from(queues, GatewaySource.find(name, gateway.from(), beans));
    }
    return builder.build();
  }

  private static JDBCService lane(
      String gateway, String name, ConfigurableListableBeanFactory beans) {
    GatewaysProperties.Gateway settings = configured(gateway, beans);
    GatewaysProperties.LaneSettings own = Objects.requireNonNull(settings.lanes().get(name));
    Lane lane = new Lane(gateway, name, Set.copyOf(own.callers()));
    return ConfiguredGateway.builder(lane.service(), gateway, settings, beans)
        .queues(
            beans.getBean(QueueBackend.class), Objects.requireNonNullElse(settings.partitions(), 1))
        .lane(lane)
        .share(beans.getBean(gateway + SHARES, Shares.class).add(own.weight()))
        .build();
  }

  /**
   * Registers the beans of each gateway. It reads the names from the environment, because no beans
   * exist yet.
   */
  static final class Gateways implements ImportBeanDefinitionRegistrar {

    private final Environment environment;
    private final ConfigurableListableBeanFactory beans;

    public Gateways(Environment environment, BeanFactory beans) {
      this.environment = environment;
      this.beans = (ConfigurableListableBeanFactory) beans;
    }

    @Override
    public void registerBeanDefinitions(
        AnnotationMetadata importing, BeanDefinitionRegistry registry) {
      boolean first = true;
      boolean primary = true;
      for (Map.Entry<String, GatewaysProperties.Gateway> entry : gateways().entrySet()) {
        String name = entry.getKey();
        new Registration(registry, name, first)
            .add("Gateway", JDBCService.class, () -> gateway(name, beans));
        if (entry.getValue().from() == null) {
          registerCallers(new Registration(registry, name, primary));
          primary = false;
        }
        registerLanes(name, entry.getValue().lanes().keySet(), registry);
        if (first) {
          registry.registerBeanDefinition(
              "forebayDefaultSystemDatabase",
              new RootBeanDefinition(
                  DefaultSystemDatabase.class,
                  () ->
                      new DefaultSystemDatabase(
                          "forebay.gateways." + name + ".owner", configured(name, beans).owner())));
        }
        first = false;
      }
    }

    private void registerCallers(Registration of) {
      String name = of.service();
      of.add("Client", StatementClient.class, () -> service(name).createClient());
      of.add("Statements", JDBCStatement.class, () -> new SharedStatement(service(name)));
    }

    private void registerLanes(String gateway, Set<String> lanes, BeanDefinitionRegistry registry) {
      if (!lanes.isEmpty()) {
        registry.registerBeanDefinition(
            gateway + SHARES, new RootBeanDefinition(Shares.class, Shares::new));
      }
      for (String lane : lanes) {
        Registration service = new Registration(registry, Lane.service(gateway, lane), false);
        service.add("Gateway", JDBCService.class, () -> lane(gateway, lane, beans));
        registerCallers(service);
      }
    }

    /** In the order of the configuration. */
    private Map<String, GatewaysProperties.Gateway> gateways() {
      return Binder.get(environment).bindOrCreate("forebay", GatewaysProperties.class).gateways();
    }

    private JDBCService service(String gateway) {
      return beans.getBean(gateway + "Gateway", JDBCService.class);
    }
  }

  /** The beans of one gateway or lane, with the name of its service as their qualifier. */
  private record Registration(BeanDefinitionRegistry registry, String service, boolean primary) {

    /** Does nothing if the bean exists: the rules of the gateways refuse a name given twice. */
    <T> void add(String suffix, Class<T> type, ThrowingSupplier<T> supplier) {
      if (registry.containsBeanDefinition(service + suffix)) {
        return;
      }
      RootBeanDefinition bean = new RootBeanDefinition(type, supplier);
      bean.addQualifier(new AutowireCandidateQualifier(Qualifier.class, service));
      bean.setPrimary(primary);
      bean.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
      registry.registerBeanDefinition(service + suffix, bean);
    }
  }
}
